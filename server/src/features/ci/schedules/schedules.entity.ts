/** Pipeline schedules as the API shows them. */
import type { Static } from 'typebox';
import type { Pipeline, PipelineSchedule, PipelineScheduleVariable, User } from '../../../kernel/db/rows.ts';
import {
  AnyJson,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import { PipelineBasic, pipelineBasic } from '../pipelines/pipelines.entity.ts';
import { queuePriorities } from '../pipelines/priority.ts';

const listed = {
  id: Id(),
  description: Text(),
  ref: Text({ description: 'Branch or tag that pipelines are created for' }),
  cron: Text({ description: 'When it runs: minute, hour, day of the month, month, day of the week' }),
  cron_timezone: Text({ description: 'Time zone of `cron`' }),
  next_run_at: Timestamp({ description: 'When it runs next, if it is active then' }),
  active: Flag({ description: 'Whether it runs by itself' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  queue_priority: Word(queuePriorities, { description: 'Of the jobs of its pipelines, within the project' }),
  owner: Nullable(UserReference, { description: 'Whose rights its pipelines have' }),
  inputs: ListOf(Fields({ name: Text(), value: AnyJson({ description: 'Text, number, boolean or list' }) })),
};

const variable = {
  key: Text(),
  variable_type: Text({ description: '`env_var` or `file`' }),
  value: Text(),
};

/** In lists. */
export const ScheduleListed = Entity('PipelineScheduleListed', {
  ...listed,
  last_pipeline: Sometimes(
    Nullable(PipelineBasic, { description: 'With `with_last_pipeline`: the newest pipeline that it created' }),
  ),
});
export const ScheduleEntity = Entity('PipelineSchedule', {
  ...listed,
  last_pipeline: Nullable(PipelineBasic, { description: 'The newest pipeline that it created' }),
  variables: Sometimes(
    ListOf(Fields({ ...variable, raw: Flag({ description: 'Whether `$` in the value stays as it is' }) }), {
      description: 'For its owner and for maintainers',
    }),
  ),
});
export const ScheduleVariable = Entity('PipelineScheduleVariable', variable);
export const RemovedScheduleVariable = Entity('RemovedPipelineScheduleVariable', { key: Text(), value: Text() });
export const PlayedSchedule = Entity('PlayedPipelineSchedule', { message: Text() });

export interface ScheduleInput {
  readonly name: string;
  readonly value: unknown;
}

/** A schedule with the person who owns it. */
export interface OwnedSchedule {
  readonly schedule: PipelineSchedule;
  readonly owner: User | null;
}

export function scheduleListed({ schedule, owner }: OwnedSchedule, externalUrl: string): Static<typeof ScheduleListed> {
  return {
    id: schedule.id,
    description: schedule.description,
    ref: schedule.ref,
    cron: schedule.cron,
    cron_timezone: schedule.cron_timezone,
    next_run_at: schedule.next_run_at,
    active: schedule.active,
    created_at: schedule.created_at,
    updated_at: schedule.updated_at,
    queue_priority: schedule.queue_priority,
    owner: owner && userReference(owner, externalUrl),
    inputs: schedule.inputs as unknown as ScheduleInput[],
  };
}

export interface ScheduleParts extends OwnedSchedule {
  readonly lastPipeline: Pipeline | undefined;
  /** Null for those who may not read them. */
  readonly variables:
    | readonly (Pick<PipelineScheduleVariable, 'key' | 'variable_type' | 'raw'> & {
        readonly value: string;
      })[]
    | null;
  readonly projectUrl: string;
  readonly externalUrl: string;
}

export function scheduleJson(parts: ScheduleParts): Static<typeof ScheduleEntity> {
  const { lastPipeline, variables, projectUrl, externalUrl } = parts;
  return {
    ...scheduleListed(parts, externalUrl),
    last_pipeline: lastPipeline ? pipelineBasic(lastPipeline, projectUrl) : null,
    ...(variables === null
      ? {}
      : {
          variables: variables.map(({ key, variable_type, value, raw }) => ({ key, variable_type, value, raw })),
        }),
  };
}

export const scheduleVariable = (
  { key, variable_type }: Pick<PipelineScheduleVariable, 'key' | 'variable_type'>,
  value: string,
): Static<typeof ScheduleVariable> => ({ key, variable_type, value });
