/** One comment: who wrote it and when, its text, and changing or removing it for those who may. */
import { Anchor } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { commentsOf, type Note } from '../../lib/commit-comments.ts';
import { sessionQuery } from '../../lib/session.ts';
import { FormError } from '../../ui/FormError.tsx';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { CommentForm } from './CommentForm.tsx';
import classes from './comments.module.css';

interface Props {
  readonly note: Note;
  readonly thread: string;
  readonly sha: string;
  readonly mayWrite: boolean;
  again(): Promise<unknown>;
}

export function CommentNote({ note, thread, sha, mayWrite, again }: Props) {
  const { path, level: own } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const [changing, setChanging] = useState(false);
  const [removing, setRemoving] = useState(false);
  const actions = commentsOf(path, sha);
  const remove = useMutation({ mutationFn: () => actions.remove(thread, note.id), onSuccess: again });
  const mine = mayWrite && (note.author.id === session?.user?.id || own >= level.maintainer);
  return (
    <div id={`note_${note.id}`} className={classes.note}>
      <div className={classes.who}>
        <UserChip user={note.author} />
        <TimeAgo at={note.created_at} />
        {mine && !changing ? (
          <span className={classes.actions}>
            {removing ? (
              <>
                <Anchor component="button" type="button" size="sm" c="red" onClick={() => remove.mutate()}>
                  Remove it
                </Anchor>
                <Anchor component="button" type="button" size="sm" onClick={() => setRemoving(false)}>
                  Keep it
                </Anchor>
              </>
            ) : (
              <>
                <Anchor component="button" type="button" size="sm" onClick={() => setChanging(true)}>
                  Edit
                </Anchor>
                <Anchor component="button" type="button" size="sm" onClick={() => setRemoving(true)}>
                  Remove
                </Anchor>
              </>
            )}
          </span>
        ) : null}
      </div>
      <FormError error={remove.error} />
      {changing ? (
        <CommentForm
          label="Comment"
          action="Save"
          text={note.body}
          send={async (body) => {
            await actions.edit(thread, note.id, body);
            setChanging(false);
            await again();
          }}
          cancel={() => setChanging(false)}
        />
      ) : (
        <MarkdownBody text={note.body} base={{ project: path, ref: sha, folder: '' }} />
      )}
    </div>
  );
}
