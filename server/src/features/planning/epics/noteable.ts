/** Epics as something that people discuss and follow. */
import type { Caller, GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { publish } from '../../../kernel/events/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import type { NoteableKind } from '../../collaboration/notes/index.ts';
import { Epic } from './epics.entity.ts';
import { authorOf, epicsById, findEpic, updateEpic } from './epics.queries.ts';
import { placeOfEpic } from './place.ts';
import type { PresentEpics } from './presenting.ts';

async function load(
  db: Db,
  subject: ProjectSubject | GroupSubject,
  wanted: Parameters<typeof findEpic>[3],
  caller: Caller,
) {
  const row = subject.kind === 'group' ? await findEpic(db, subject.group.id, caller, wanted) : undefined;
  if (!row || subject.kind !== 'group') throw notFound('Epic');
  return placeOfEpic(row, subject);
}

export const epicNoteable = (db: Db, present: PresentEpics): NoteableKind => ({
  type: 'epic',
  on: 'group',
  path: '/epics/:epic_id',
  params: { epic_id: Int({ description: 'Id of the epic' }) },
  noun: 'an epic',
  notes: true,
  // The ecosystem has the id of the epic in the paths of comments and of its history, and its number in these.
  reactions: {
    path: '/epics/:epic_iid',
    params: { epic_iid: Int({ description: 'Number of the epic within the group' }) },
    load: (subject, { epic_iid: iid }, caller) => load(db, subject, { iid: Number(iid) }, caller),
  },
  followed: {
    tag: 'Epics',
    entity: Epic,
    async show({ noteable }, caller) {
      const [row] = noteable.id === null ? [] : await epicsById(db, [noteable.id], caller);
      if (!row) throw notFound('Epic');
      return await present.one(row, caller);
    },
    async many(ids, caller) {
      const shown = await present.many(await epicsById(db, ids, caller));
      return new Map(
        [...shown].map(([id, json]) => [id, { json, title: json.title, path: new URL(json.web_url).pathname }]),
      );
    },
    async people(handle, id) {
      const author = await authorOf(handle, id);
      return author === undefined ? [] : [author];
    },
    events: ['label', 'state'],
  },
  convertible: true,
  abilities: {
    read: 'read_epic',
    write: 'create_epic_note',
    admin: 'admin_epic_note',
    resolve: null,
    internal: 'read_internal_epic_note',
  },
  load: (subject, { epic_id: id }, caller) => load(db, subject, { id: Number(id) }, caller),
  async commented(tx, places) {
    for (const id of places.flatMap(({ noteable }) => noteable.id ?? [])) {
      const row = await updateEpic(tx, id, {});
      await publish(tx, `epic:${row.id}`, `group:${row.namespace_id}:epics`);
    }
  },
});
