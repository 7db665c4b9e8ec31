/** One comment: who wrote it and when, its text, and changing or removing it for those who may. */
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { commentsOf, type Discussed, type Note } from '../../lib/comments.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { MarkdownOnDemand } from '../../ui/MarkdownOnDemand.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { level } from '../projects/useProject.ts';
import { CommentFormOnDemand } from './CommentFormOnDemand.tsx';
import classes from './comments.module.css';
import type { SuggestionBatch } from './Suggestions.tsx';
import { usePlace } from './usePlace.ts';

// Most pages with a change have no comments.
const Reactions = lazy(() => import('./Reactions.tsx'));
/** Few comments propose something. */
const Suggestions = lazy(() => import('./Suggestions.tsx'));

interface Props {
  readonly note: Note;
  readonly thread: string;
  readonly of: Discussed;
  readonly mayWrite: boolean;
  readonly batch?: SuggestionBatch | undefined;
  again(): Promise<unknown>;
}

export function Comment({ note, thread, of, mayWrite, batch, again }: Props) {
  const { kind, path, level: own } = usePlace();
  const { data: session } = useQuery(sessionQuery);
  const [changing, setChanging] = useState(false);
  const edit = useReturnedFocus(changing);
  const actions = commentsOf(path, of);
  const removing = useConfirmed((id: number) => actions.remove(thread, id), again);
  const mine = mayWrite && (note.author.id === session?.user?.id || own >= level.maintainer);
  const proposed =
    batch && note.suggestions && note.suggestions.length > 0 ? { batch, suggestions: note.suggestions } : null;
  if (note.system)
    return (
      <div id={`note_${note.id}`}>
        <strong>{note.author.name}</strong>{' '}
        <span className={classes.system}>
          <MarkdownOnDemand html={note.body_html ?? ''} of={{ kind, path }} />
        </span>{' '}
        <TimeAgo at={note.created_at} />
      </div>
    );
  return (
    <div id={`note_${note.id}`} className={classes.note}>
      <div className={classes.who}>
        <UserChip user={note.author} />
        <TimeAgo at={note.created_at} />
        {note.internal ? <span>Internal comment</span> : null}
        {mine && !changing ? (
          <span className={classes.actions}>
            <Anchor ref={edit} component="button" type="button" size="sm" onClick={() => setChanging(true)}>
              Edit
            </Anchor>
            <Anchor component="button" type="button" size="sm" onClick={() => removing.ask(note.id)}>
              Delete
            </Anchor>
          </span>
        ) : null}
      </div>
      <ConfirmDialog
        {...removing.dialog}
        title="Delete comment"
        text="The comment will be deleted permanently."
        action="Delete comment"
      />
      {changing ? (
        <CommentFormOnDemand
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
        <div className={proposed ? classes.proposes : undefined}>
          <MarkdownOnDemand
            html={note.body_html ?? ''}
            of={{ kind, path }}
            tasks={
              mine
                ? {
                    text: note.body,
                    update: async (task) => {
                      await actions.updateTask(thread, note.id, task).finally(again);
                    },
                  }
                : undefined
            }
          />
        </div>
      )}
      {proposed && !changing ? (
        <Suspense fallback={null}>
          <Suggestions {...proposed} mayApply={mayWrite && own >= level.developer} again={again} />
        </Suspense>
      ) : null}
      {changing || (of.kind !== 'issue' && of.kind !== 'merge_request') ? null : (
        <Suspense fallback={null}>
          <Reactions {...{ of, again }} note={note.id} reactions={note.award_emoji ?? []} mayReact={mayWrite} />
        </Suspense>
      )}
    </div>
  );
}
