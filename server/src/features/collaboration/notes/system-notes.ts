/** System notes: what the service writes under a thing when somebody changes it. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import { columnsOf, type Noteable } from './kinds.ts';
import { insertNote } from './notes.queries.ts';
import { newDiscussionId } from './notes.service.ts';

/** What was done, in the ecosystem's words; they choose the icon beside the text. */
export type SystemNoteAction =
  | 'assignee'
  | 'branch'
  | 'cloned'
  | 'closed'
  | 'commit'
  | 'confidential'
  | 'cross_reference'
  | 'description'
  | 'discussion'
  | 'due_date'
  | 'duplicate'
  | 'estimate'
  | 'health_status'
  | 'issue_promoted'
  | 'iteration'
  | 'locked'
  | 'merge'
  | 'merged'
  | 'milestone'
  | 'moved'
  | 'opened'
  | 'outdated'
  | 'relate'
  | 'requested_changes'
  | 'reviewer'
  | 'severity'
  | 'start_date_or_due_date'
  | 'status'
  | 'tag'
  | 'task'
  | 'time_tracking'
  | 'title'
  | 'type'
  | 'unlocked'
  | 'unrelate'
  | 'visible'
  | 'weight'
  | 'approved'
  | 'unapproved';

/**
 * Writes a system note in the transaction of the change that it tells about: `assigned to @anna`, `changed the title ...`.
 * Nobody is told of it: the change has facts of its own. `thread` is the id of the one that it ends.
 */
export async function systemNote(
  tx: Db,
  noteable: Noteable,
  authorId: number,
  action: SystemNoteAction,
  body: string,
  more: { readonly createdAt?: Date | undefined; readonly thread?: string } = {},
): Promise<Note> {
  return await insertNote(tx, {
    ...columnsOf(noteable),
    discussion_id: more.thread ?? newDiscussionId(),
    kind: more.thread === undefined ? null : 'discussion',
    author_id: authorId,
    body,
    system: true,
    action,
    ...(more.createdAt ? { created_at: more.createdAt, updated_at: more.createdAt } : {}),
  });
}
