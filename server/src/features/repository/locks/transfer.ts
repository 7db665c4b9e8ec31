/** Locks of files and folders in archives of projects: only administrators can know whose they are. */
import Type from 'typebox';
import { Bool, DateTimeParam, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { archivedLocksOf, insertArchivedLock } from './transfer.queries.ts';

export const pathLockRelation: Relation = relation({
  name: 'path_locks',
  schema: Type.Object({
    path: Str({ minLength: 1, maxLength: 4096 }),
    username: Str({ minLength: 1, maxLength: 255 }),
    lfs: Bool(),
    created_at: DateTimeParam(),
  }),
  rows: (db, projectId) => once(archivedLocksOf(db, projectId)),
  insert: async (tx, { username, ...row }, target) => {
    if (!target.trusted) return 'only administrators import locks';
    const userId = await target.person(username);
    if (userId === null) return `nobody is called ${username}`;
    const made = await insertArchivedLock(tx, { ...row, project_id: target.projectId, user_id: userId });
    return made ? null : 'is there already';
  },
  remove: removing('path_locks'),
});
