/** Resource groups in archives of projects: how their jobs take turns. */
import Type from 'typebox';
import { OneOf, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { groupsOf, insertArchivedGroup } from './transfer.queries.ts';

export const resourceGroupRelation: Relation = relation({
  name: 'resource_groups',
  schema: Type.Object({
    key: Str({ minLength: 1, maxLength: 255 }),
    process_mode: OneOf(['unordered', 'oldest_first', 'newest_first', 'newest_ready_first']),
  }),
  rows: (db, projectId) => once(groupsOf(db, projectId)),
  insert: async (tx, row, { projectId }) =>
    (await insertArchivedGroup(tx, { ...row, project_id: projectId })) ? null : 'is there already',
  remove: removing('resource_groups'),
});
