/** Epics as something that people discuss. */
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import type { NoteableKind } from '../../collaboration/notes/index.ts';
import { findEpic, updateEpic } from './epics.queries.ts';

export const epicNoteable = (db: Db): NoteableKind => ({
  type: 'epic',
  on: 'group',
  path: '/epics/:epic_id',
  params: { epic_id: Int({ description: 'Id of the epic' }) },
  noun: 'an epic',
  notes: true,
  // The ecosystem's path of reactions has the number of the epic, not its id.
  awards: false,
  convertible: true,
  abilities: {
    read: 'read_epic',
    write: 'create_epic_note',
    admin: 'admin_epic_note',
    resolve: null,
    internal: 'read_internal_epic_note',
  },
  async load(subject, { epic_id: id }, caller) {
    if (subject.kind !== 'group') throw notFound('Epic');
    const row = await findEpic(db, subject.group.id, caller, { id: Number(id) });
    if (!row) throw notFound('Epic');
    const noteable = {
      type: 'epic' as const,
      projectId: null,
      groupId: row.namespace_id,
      id: row.id,
      iid: row.iid,
      commitId: null,
    };
    return { noteable, subject, title: row.title, authorId: row.author_id };
  },
  async commented(tx, { noteable }) {
    if (noteable.id !== null) await updateEpic(tx, noteable.id, {});
  },
});
