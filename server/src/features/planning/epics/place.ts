/** Where comments about an epic belong. */
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import type { Noteable, Place } from '../../collaboration/notes/index.ts';

export const epicNoteableOf = (row: Pick<Epic, 'id' | 'iid' | 'namespace_id'>): Noteable => ({
  type: 'epic',
  projectId: null,
  groupId: row.namespace_id,
  id: row.id,
  iid: row.iid,
  commitId: null,
});

/** An epic as what is discussed. */
export const placeOfEpic = (row: Epic, subject: GroupSubject): Place => ({
  noteable: epicNoteableOf(row),
  subject,
  locked: row.discussion_locked,
  title: row.title,
  authorId: row.author_id,
});
