/** Protected branches and tags of a project in an archive. */
import Type from 'typebox';
import { Bool, Int, List, OneOf, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import * as queries from './transfer.queries.ts';

const roles = [0, 30, 40, 60];

export const protectedBranchRelation: Relation = relation({
  name: 'protected_branches',
  schema: Type.Object({
    name: Str({ minLength: 1, maxLength: 1024 }),
    allow_force_push: Bool(),
    code_owner_approval_required: Bool(),
    levels: List(Type.Object({ kind: OneOf(['push', 'merge', 'unprotect']), level: Int() })),
  }),
  rows: (db, projectId) => once(queries.protectedBranchesOf(db, projectId)),
  insert: async (tx, row, { projectId }) =>
    row.levels.every(({ level }) => roles.includes(level))
      ? await queries.insertProtectedBranch(tx, projectId, row)
      : 'has a level that does not exist',
  remove: removing('protected_branches'),
});

export const protectedTagRelation: Relation = relation({
  name: 'protected_tags',
  schema: Type.Object({
    name: Str({ minLength: 1, maxLength: 1024 }),
    levels: List(Int()),
  }),
  rows: (db, projectId) => once(queries.protectedTagsOf(db, projectId)),
  insert: async (tx, row, { projectId }) =>
    row.levels.every((level) => roles.includes(level))
      ? await queries.insertProtectedTag(tx, projectId, row)
      : 'has a level that does not exist',
  remove: removing('protected_tags'),
});
