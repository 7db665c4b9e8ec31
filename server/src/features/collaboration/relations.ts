/** Labels and milestones of a project or group in an archive. */
import Type from 'typebox';
import { Bool, DateParam, DateTimeParam, Int, OneOf, Optional, OrNull, Str } from '../../kernel/http/params/schema.ts';
import {
  type GroupRelation,
  groupRelation,
  once,
  type Relation,
  relation,
  removing,
  removingOfGroup,
} from '../namespaces/index.ts';
import * as queries from './relations.queries.ts';

const text = (maxLength: number) => Str({ maxLength });
const named = Str({ minLength: 1, maxLength: 255 });

const label = {
  title: named,
  description: Optional(OrNull(text(100_000))),
  color: Str({ pattern: '^#[0-9a-fA-F]{6}$' }),
  archived: Bool(),
  priority: Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 }))),
  of_group: Optional(Bool()),
  created_at: DateTimeParam(),
};
export const labelRelation: Relation = relation({
  name: 'labels',
  schema: Type.Object(label),
  rows: (db, projectId) => once(queries.labelsOf(db, projectId)),
  insert: (tx, row, { projectId }) => queries.insertLabel(tx, projectId, row),
  remove: removing('labels'),
});

const milestone = {
  iid: Optional(OrNull(Int({ minimum: 1, maximum: 2_147_483_647 }))),
  title: named,
  description: Optional(OrNull(text(1_048_576))),
  state: OneOf(['active', 'closed']),
  start_date: Optional(OrNull(DateParam())),
  due_date: Optional(OrNull(DateParam())),
  created_at: DateTimeParam(),
  updated_at: Optional(OrNull(DateTimeParam())),
};
export const milestoneRelation: Relation = relation({
  name: 'milestones',
  schema: Type.Object(milestone),
  rows: (db, projectId) => once(queries.milestonesOf(db, projectId)),
  insert: (tx, row, { projectId }) => queries.insertMilestone(tx, projectId, row),
  remove: removing('milestones'),
});

const { title, description, color, archived, created_at } = label;
export const groupLabelRelation: GroupRelation = groupRelation({
  name: 'labels',
  schema: Type.Object({ title, description, color, archived, created_at }),
  rows: (db, groupId) => once(queries.groupLabelsOf(db, groupId)),
  insert: (tx, row, { groupId }) => queries.insertGroupLabel(tx, groupId, row),
  remove: removingOfGroup('labels'),
});

export const groupMilestoneRelation: GroupRelation = groupRelation({
  name: 'milestones',
  schema: Type.Object({ ...milestone, iid: Int({ minimum: 1, maximum: 2_147_483_647 }) }),
  rows: (db, groupId) => once(queries.groupMilestonesOf(db, groupId)),
  insert: (tx, row, { groupId }) => queries.insertGroupMilestone(tx, groupId, row),
  remove: removingOfGroup('milestones'),
});
