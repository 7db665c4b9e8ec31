/** JSON of events in the history of a thing. */
import type { TSchema } from 'typebox';
import { Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { UserReference } from '../../identity/index.ts';
import { LabelBasic } from '../labels/labels.entity.ts';
import { Milestone } from '../milestones/milestones.entity.ts';

const common = {
  id: Id(),
  user: Nullable(UserReference, { description: 'Who did it; null where they are gone' }),
  created_at: Timestamp(),
  resource_type: Text({ description: '`Issue`, `MergeRequest` or `Epic`' }),
  resource_id: Id(),
};
const action = Text({ description: '`add` or `remove`' });

export const ResourceLabelEvent = Entity('ResourceLabelEvent', {
  ...common,
  label: Nullable(LabelBasic, { description: 'Null where the label is gone' }),
  action,
});

export const ResourceMilestoneEvent = Entity('ResourceMilestoneEvent', {
  ...common,
  milestone: Nullable(Milestone),
  action,
});

export const ResourceStateEvent = Entity('ResourceStateEvent', {
  ...common,
  source_commit: Nullable(Text({ description: 'Commit that closed it' })),
  source_merge_request_id: Nullable(Id({ description: 'Merge request that closed it' })),
  state: Text({ description: '`opened`, `closed`, `reopened` or `merged`' }),
});

export const ResourceWeightEvent = Entity('ResourceWeightEvent', {
  ...common,
  issue_id: Id(),
  weight: Nullable(Id({ description: 'Null where it was taken away' })),
});

export const resourceIterationEvent = (iteration: TSchema) =>
  Entity('ResourceIterationEvent', { ...common, iteration: Nullable(iteration), action });
