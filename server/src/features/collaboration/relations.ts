/** Labels and milestones of a project in an archive. */
import Type from 'typebox';
import { Bool, DateParam, DateTimeParam, Int, OneOf, Optional, OrNull, Str } from '../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../namespaces/index.ts';
import * as queries from './relations.queries.ts';

const text = (maxLength: number) => Str({ maxLength });
const named = Str({ minLength: 1, maxLength: 255 });

export const labelRelation: Relation = relation({
  name: 'labels',
  schema: Type.Object({
    title: named,
    description: Optional(OrNull(text(100_000))),
    color: Str({ pattern: '^#[0-9a-fA-F]{6}$' }),
    archived: Bool(),
    priority: Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 }))),
    of_group: Optional(Bool()),
    created_at: DateTimeParam(),
  }),
  rows: (db, projectId) => once(queries.labelsOf(db, projectId)),
  insert: (tx, row, { projectId }) => queries.insertLabel(tx, projectId, row),
  remove: removing('labels'),
});

export const milestoneRelation: Relation = relation({
  name: 'milestones',
  schema: Type.Object({
    iid: Optional(OrNull(Int({ minimum: 1, maximum: 2_147_483_647 }))),
    title: named,
    description: Optional(OrNull(text(1_048_576))),
    state: OneOf(['active', 'closed']),
    start_date: Optional(OrNull(DateParam())),
    due_date: Optional(OrNull(DateParam())),
    created_at: DateTimeParam(),
    updated_at: Optional(OrNull(DateTimeParam())),
  }),
  rows: (db, projectId) => once(queries.milestonesOf(db, projectId)),
  insert: (tx, row, { projectId }) => queries.insertMilestone(tx, projectId, row),
  remove: removing('milestones'),
});
