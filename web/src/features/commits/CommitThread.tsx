/** One thread about a commit: its comments, and a field for an answer. */
import { Anchor } from '@mantine/core';
import { useState } from 'react';
import { commentsOf, type Discussion } from '../../lib/commit-comments.ts';
import { useProject } from '../projects/useProject.ts';
import { CommentForm } from './CommentForm.tsx';
import { CommentNote } from './CommentNote.tsx';
import classes from './comments.module.css';

interface ThreadProps {
  readonly thread: Discussion;
  readonly sha: string;
  readonly mayWrite: boolean;
  /** Beside the line itself, which needs no words then. */
  readonly inline?: boolean;
  again(): Promise<unknown>;
}

export function CommitThread({ thread, sha, mayWrite, inline, again }: ThreadProps) {
  const { path } = useProject();
  const [answering, setAnswering] = useState(false);
  const place = thread.notes[0]?.position;
  const line = place?.new_line ?? place?.old_line;
  const file = place?.new_path ?? place?.old_path;
  return (
    <article className={classes.thread} aria-label={`Comment of ${thread.notes[0]?.author.name}`}>
      {file && !inline ? (
        <p className={classes.place}>
          <code>{line ? `${file}:${line}` : file}</code>
          {place?.new_line ? null : line ? ' before the change' : null}
        </p>
      ) : null}
      {thread.notes.map((note) => (
        <CommentNote key={note.id} {...{ note, sha, mayWrite, again }} thread={thread.id} />
      ))}
      {mayWrite && !thread.individual_note ? (
        answering ? (
          <CommentForm
            label="Answer"
            action="Answer"
            send={async (body) => {
              await commentsOf(path, sha).reply(thread.id, body);
              await again();
              setAnswering(false);
            }}
            cancel={() => setAnswering(false)}
          />
        ) : (
          <Anchor component="button" type="button" size="sm" onClick={() => setAnswering(true)}>
            Answer
          </Anchor>
        )
      ) : null}
    </article>
  );
}
