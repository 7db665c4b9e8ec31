/** Jobs as the API shows them. */
import type { Static } from 'typebox';
import {
  AnyJson,
  Count,
  Decimal,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { UserProfile, userProfile } from '../../identity/index.ts';
import { Commit } from '../../repository/index.ts';
import type { CiCommit } from '../deps.ts';
import { PipelineBasic, type PipelineJson, pipelineBasic } from '../pipelines/pipelines.entity.ts';
import { managerJson, RunnerEntity, RunnerManagerEntity, runnerJson } from '../runners/runners.entity.ts';
import { executingStatuses } from '../scheduling/job-states.ts';
import type { IsArchived } from './archived.ts';
import type { JobView } from './jobs.queries.ts';
import type { JobPlan } from './plan.ts';

const fields = {
  id: Id(),
  status: Text(),
  stage: Text(),
  name: Text(),
  ref: Text(),
  tag: Flag({ description: 'Whether `ref` is a tag' }),
  coverage: Nullable(Decimal({ description: 'Percentage that the log told' })),
  allow_failure: Flag({ description: 'Whether the pipeline goes on when it fails' }),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
  erased_at: Nullable(Timestamp({ description: 'When log and artifacts were removed' })),
  erased_by: Sometimes(Nullable(UserProfile, { description: 'Who removed them; on erased jobs' })),
  duration: Nullable(Decimal({ description: 'Seconds' })),
  queued_duration: Nullable(Decimal({ description: 'Seconds' })),
  user: Nullable(UserProfile),
  commit: Nullable(Commit),
  pipeline: PipelineBasic,
  failure_reason: Sometimes(Text({ description: 'On failed jobs' })),
  downstream_errors: Sometimes(
    ListOf(Text(), { description: 'On a trigger job that failed: why its pipeline could not be created' }),
  ),
  web_url: Text(),
  project: Fields({ ci_job_token_scope_enabled: Flag() }),
};

export const JobEntity = Entity('Job', {
  ...fields,
  artifacts_file: Sometimes(Fields({ filename: Text(), size: Count() }, { description: 'Its archive of artifacts' })),
  artifacts: ListOf(Fields({ file_type: Text(), size: Count(), filename: Text(), file_format: Nullable(Text()) })),
  artifacts_expire_at: Nullable(Timestamp({ description: 'When its artifacts go' })),
  debug_trace: Flag({
    description: 'Whether it ran with debug logging: only those who may update the job read its log and artifacts',
  }),
  log_cut_at: Sometimes(
    Count({ description: 'On a job whose log the runner cut: its limit in bytes, beyond which it kept nothing' }),
  ),
  tag_list: ListOf(Text()),
  stuck: Sometimes(
    Flag({
      description:
        'On one pending job, and with `with_waiting`: whether no runner that is online, and not paused, may take it',
    }),
  ),
  waiting: Sometimes(
    Fields(
      {
        reason: Text({
          description:
            'One of `runner`, `no_runner`, `tags`, `protected`, `paused`, `offline`, `deletion`, `jobs`, `resource_group`, `delay`, `manual`, `approval`',
        }),
        message: Text({ description: 'The reason as a sentence' }),
        jobs_ahead: Nullable(
          Count({ description: 'Waiting jobs that get a runner, or the resource of its group, before it' }),
        ),
        runners_online: Nullable(Count({ description: 'Runners that are online and may take it' })),
      },
      { description: 'On one job that has not begun, and with `with_waiting`: what it waits for' },
    ),
  ),
  terminal: Sometimes(
    Flag({ description: 'On one running job: whether the user who started it can open a terminal in it' }),
  ),
  runner: Nullable(RunnerEntity),
  runner_manager: Nullable(RunnerManagerEntity),
  archived: Flag({ description: 'Imported or too old: nothing of it runs again' }),
  manual_confirmation: Sometimes(Text({ description: 'What to ask before the job is started' })),
  inputs: Sometimes(
    ListOf(
      Fields({
        name: Text(),
        type: Text({ description: '`string`, `number`, `boolean` or `array`' }),
        description: Nullable(Text()),
        options: Nullable(ListOf(AnyJson())),
        value: AnyJson({ description: 'What was given when it was started, or the default' }),
      }),
      { description: 'Inputs that whoever starts the job may give (`job_inputs`)' },
    ),
  ),
  exit_code: Sometimes(Nullable(Count())),
  download_url: Sometimes(Nullable(Text({ description: 'Always null; on the answer to keeping artifacts' }))),
});
export type JobJson = Static<typeof JobEntity>;
export type WaitingJson = NonNullable<JobJson['waiting']>;

/** Trigger jobs; their shape is that of jobs without runner and artifacts, with the pipeline that they started. */
export const BridgeEntity = Entity('Bridge', {
  ...fields,
  downstream_pipeline: Nullable(PipelineBasic, { description: 'The pipeline that it started' }),
});

/** What the picture of a pipeline needs and no other answer tells. */
export const JobNeeds = Entity('JobNeeds', {
  name: Text({ description: 'Name of the job' }),
  stage: Text(),
  needs: Nullable(ListOf(Text()), {
    description: 'Names of the jobs that it waits for, possibly none; null when it waits for the stage before',
  }),
});

const seconds = (from: Date | null, to: Date | null): number | null =>
  from && to ? Math.max(0, (to.getTime() - from.getTime()) / 1000) : null;

export interface JobPlace {
  readonly externalUrl: string;
  /** The project's page without a trailing slash. */
  readonly projectUrl: string;
  readonly jobTokenScopeEnabled: boolean;
  readonly isArchived: IsArchived;
}

/** One job; times that still run are measured until now. */
export function jobJson(view: JobView, commit: CiCommit | null, place: JobPlace): JobJson {
  const { job, pipeline, user, erasedBy, runner, manager, artifacts } = view;
  const archive = artifacts.find((artifact) => artifact.file_type === 'archive');
  const now = new Date();
  const trace = job.trace_object_key
    ? [{ file_type: 'trace', size: job.trace_size, filename: 'job.log', file_format: 'raw' }]
    : [];
  return {
    id: job.id,
    status: job.status,
    stage: job.stage,
    name: job.name,
    ref: job.ref,
    tag: job.tag,
    coverage: job.coverage === null ? null : Number(job.coverage),
    allow_failure: job.allow_failure,
    created_at: job.created_at,
    started_at: job.started_at,
    finished_at: job.finished_at,
    erased_at: job.erased_at,
    ...(job.erased_at === null ? {} : { erased_by: erasedBy && userProfile(erasedBy, place.externalUrl) }),
    duration: seconds(job.started_at, job.finished_at ?? (job.started_at && now)),
    queued_duration: seconds(job.queued_at, job.started_at ?? (job.status === 'pending' ? now : null)),
    user: user && userProfile(user, place.externalUrl),
    commit,
    pipeline: pipelineBasic(pipeline, place.projectUrl),
    ...(job.status === 'failed' ? { failure_reason: job.failure_reason ?? 'unknown_failure' } : {}),
    ...downstreamErrorsOf(job),
    web_url: `${place.projectUrl}/-/jobs/${job.id}`,
    project: { ci_job_token_scope_enabled: place.jobTokenScopeEnabled },
    ...(archive ? { artifacts_file: { filename: archive.filename, size: archive.size } } : {}),
    artifacts: [
      ...artifacts.map(({ file_type, size, filename, file_format }) => ({ file_type, size, filename, file_format })),
      ...trace,
    ],
    artifacts_expire_at: job.artifacts_expire_at,
    debug_trace: job.debug_trace,
    ...(job.trace_cut_at === null ? {} : { log_cut_at: job.trace_cut_at }),
    tag_list: job.tag_list,
    runner:
      runner &&
      runnerJson({
        runner,
        manager: manager ?? undefined,
        creator: view.runnerCreator,
        busy: executingStatuses.has(job.status),
        externalUrl: place.externalUrl,
      }),
    runner_manager: manager && managerJson(manager),
    archived: place.isArchived(view.pipeline, job),
    ...askedOf(job),
    ...(job.exit_code === null ? {} : { exit_code: job.exit_code }),
  };
}

function downstreamErrorsOf({ kind, status, plan }: JobView['job']): Pick<JobJson, 'downstream_errors'> {
  const { downstream_errors: errors } = plan as unknown as JobPlan;
  return kind === 'bridge' && status === 'failed' && errors ? { downstream_errors: [...errors] } : {};
}

/** What people are asked for when they start the job. */
function askedOf({ plan }: JobView['job']): Pick<JobJson, 'manual_confirmation' | 'inputs'> {
  const { manual_confirmation: question, inputs, input_values: values = {} } = plan as unknown as JobPlan;
  return {
    ...(question === undefined ? {} : { manual_confirmation: question }),
    ...(inputs
      ? {
          inputs: inputs.map(({ name, type, description, options, default: fallback }) => ({
            name,
            type,
            description,
            options: options && [...options],
            value: values[name] ?? fallback,
          })),
        }
      : {}),
  };
}

/** A trigger job: what a runner would have left is not there; its duration is in whole seconds. */
export function bridgeJson(job: JobJson, downstream: PipelineJson | null): Static<typeof BridgeEntity> {
  const keys = Object.keys(fields) as (keyof typeof fields & keyof JobJson)[];
  const known = Object.fromEntries(
    keys.filter((key) => key !== 'failure_reason' && job[key] !== undefined).map((key) => [key, job[key]]),
  ) as Omit<Static<typeof BridgeEntity>, 'downstream_pipeline'>;
  return {
    ...known,
    duration: job.duration === null ? null : Math.round(job.duration),
    downstream_pipeline: downstream,
  };
}
