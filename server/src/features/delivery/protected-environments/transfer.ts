/** Protected environments of a project in an archive. */
import Type from 'typebox';
import { Int, List, OneOf, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { insertBroughtEnvironment, protectedEnvironmentsOf } from './transfer.queries.ts';

const roles = [30, 40, 60];

export const protectedEnvironmentRelation: Relation = relation({
  name: 'protected_environments',
  schema: Type.Object({
    name: Str({ minLength: 1, maxLength: 255 }),
    required_approval_count: Int({ minimum: 0, maximum: 100 }),
    rules: List(
      Type.Object({
        kind: OneOf(['deploy', 'approval']),
        access_level: Int(),
        required_approvals: Int({ minimum: 1, maximum: 100 }),
      }),
    ),
  }),
  rows: (db, projectId) => once(protectedEnvironmentsOf(db, projectId)),
  insert: async (tx, row, { projectId }) =>
    row.rules.every(({ access_level }) => roles.includes(access_level))
      ? await insertBroughtEnvironment(tx, projectId, row)
      : 'has a level that does not exist',
  remove: removing('protected_environments'),
});
