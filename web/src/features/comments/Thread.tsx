/** One thread: its comments, a field for an answer, and resolving it. */
import { Anchor } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { commentsOf, type Discussed, type Discussion, type LinePosition } from '../../lib/comments.ts';
import { FormError } from '../../ui/FormError.tsx';
import { Comment } from './Comment.tsx';
import { CommentFormOnDemand } from './CommentFormOnDemand.tsx';
import { ContinueInIssue } from './ContinueInIssue.tsx';
import classes from './comments.module.css';
import type { SuggestionBatch } from './Suggestions.tsx';
import { usePlace } from './usePlace.ts';

/** Keeps a comment for the review of the merge request. */
export type Later = (body: string, at?: { position?: LinePosition; reply?: string }) => Promise<unknown>;

interface ThreadProps {
  readonly thread: Discussion;
  readonly of: Discussed;
  readonly mayWrite: boolean;
  /** Beside the line itself, which needs no words then. */
  readonly inline?: boolean;
  readonly batch?: SuggestionBatch | undefined;
  /** One's own answers that are published with the review. */
  readonly pending?: ReactNode;
  again(): Promise<unknown>;
  later?: Later | undefined;
}

export function Thread({ thread, of, mayWrite, inline, batch, pending, again, later }: ThreadProps) {
  const { path } = usePlace();
  const [replying, setReplying] = useState(false);
  const system = thread.notes.length === 1 && thread.notes[0]?.system === true;
  const place = thread.notes[0]?.position;
  const line = place?.new_line ?? place?.old_line;
  const file = place?.new_path ?? place?.old_path;
  const first = thread.notes[0];
  const resolvable = of.kind === 'merge_request' && thread.notes.some((note) => note.resolvable);
  const resolved = resolvable && thread.notes.every((note) => !note.resolvable || note.resolved === true);
  const resolving = useMutation({
    mutationFn: () => commentsOf(path, of).resolve(thread.id, !resolved),
    onSuccess: again,
  });
  return (
    <article
      className={system ? classes.event : classes.thread}
      aria-label={`Comment of ${first?.author.name}`}
      data-thread={resolvable && !resolved ? 'open' : 'settled'}
      tabIndex={-1}
    >
      {file && !inline ? (
        <p className={classes.place}>
          <code>{line ? `${file}:${line}` : file}</code>
          {place?.new_line ? null : line ? ' before the change' : null}
          {first?.outdated ? ' · Outdated: the line is no longer part of the change' : null}
        </p>
      ) : null}
      {thread.notes.map((note) => (
        <Comment key={note.id} {...{ note, of, mayWrite, batch, again }} thread={thread.id} />
      ))}
      {pending}
      {mayWrite && !thread.individual_note ? (
        replying ? (
          <CommentFormOnDemand
            label="Reply"
            action="Reply"
            target={of.kind === 'commit' ? undefined : of.kind}
            send={async (body) => {
              await commentsOf(path, of).reply(thread.id, body);
              await again();
              setReplying(false);
            }}
            later={
              later &&
              (async (body) => {
                await later(body, { reply: thread.id });
                setReplying(false);
              })
            }
            cancel={() => setReplying(false)}
          />
        ) : (
          <Anchor component="button" type="button" size="sm" onClick={() => setReplying(true)}>
            Reply
          </Anchor>
        )
      ) : null}
      {resolvable && mayWrite ? (
        <p className={classes.resolution}>
          {resolved ? <span>Resolved</span> : null}
          <Anchor component="button" type="button" size="sm" onClick={() => resolving.mutate()}>
            {resolved ? 'Reopen thread' : 'Resolve thread'}
          </Anchor>
          {!resolved && of.kind === 'merge_request' ? <ContinueInIssue request={of.iid} thread={thread.id} /> : null}
        </p>
      ) : null}
      <FormError error={resolving.error} />
    </article>
  );
}
