/** Pipelines as the API shows them. */
import type { Static } from 'typebox';
import type { Pipeline, User } from '../../../kernel/db/rows.ts';
import {
  Count,
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
import type { JobStatus } from '../scheduling/job-states.ts';
import { DetailedStatus, detailedStatus } from './detailed-status.ts';
import { queuePriorities } from './priority.ts';

const basic = {
  id: Id(),
  iid: Id({ description: 'Number within the project' }),
  project_id: Id({ description: 'Id of the project' }),
  sha: Text(),
  ref: Text(),
  status: Text(),
  source: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  web_url: Text(),
};

/** In lists and inside other objects. */
export const PipelineBasic = Entity('PipelineBasic', basic);
/** In the project's list. */
export const PipelineListed = Entity('PipelineListed', {
  ...basic,
  name: Nullable(Text()),
  details: Sometimes(
    Fields(
      {
        tag: Flag({ description: 'Whether `ref` is a tag' }),
        commit_title: Nullable(Text({ description: 'Null where the commit is gone' })),
        user: Nullable(UserReference),
        duration: Nullable(Count({ description: 'Seconds that it ran' })),
        stages: ListOf(Fields({ name: Text(), status: Text() }), { description: 'In their order' }),
        failed_jobs: ListOf(Fields({ id: Id(), name: Text(), stage: Text() }), {
          description: 'The first three that failed and are not allowed to',
        }),
        failed_jobs_count: Count({ description: 'All of them' }),
      },
      { description: 'With `with_details`' },
    ),
  ),
});
/** In lists of several projects. */
export const PipelineAcross = Entity('PipelineWithProject', {
  ...PipelineListed.properties,
  project: Fields({ id: Id(), name_with_namespace: Text(), path_with_namespace: Text() }),
});
export const PipelineDetail = Entity('Pipeline', {
  ...basic,
  before_sha: Text({ description: 'Commit of the ref before the push' }),
  tag: Flag({ description: 'Whether `ref` is a tag' }),
  name: Nullable(Text()),
  yaml_errors: Nullable(Text({ description: 'Why the configuration was refused' })),
  user: Nullable(UserReference),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
  committed_at: Nullable(Timestamp({ description: 'When its commit was made; null until the pipeline has started' })),
  duration: Nullable(Count({ description: 'Seconds that it ran' })),
  queued_duration: Nullable(Count({ description: 'Seconds from when it could run until it ran' })),
  coverage: Nullable(Text({ description: 'Percent with two digits, as text' })),
  queue_priority: Word(queuePriorities, { description: 'Where its jobs stand among those of the project' }),
  archived: Flag({ description: 'Imported or too old: nothing of it runs again' }),
  warnings: ListOf(Fields({ message: Text() })),
  detailed_status: DetailedStatus,
  upstream: Sometimes(
    Fields(
      {
        project_id: Id(),
        project_path: Text({ description: 'Path of the project with those of its groups' }),
        pipeline_id: Id(),
        job_id: Id(),
        job_name: Text(),
      },
      { description: 'The job of another pipeline that it was started by, for those who see that pipeline' },
    ),
  ),
});
export const PipelineVariable = Entity('PipelineVariable', {
  key: Text(),
  variable_type: Text({ description: '`env_var` or `file`' }),
  value: Text(),
  raw: Flag({ description: 'Whether `$` in the value stays as it is' }),
});

export type PipelineJson = Static<typeof PipelineBasic>;
export type PipelineDetailJson = Static<typeof PipelineDetail>;

/** `projectUrl` is the project's page without a trailing slash. */
export function pipelineBasic(pipeline: Pipeline, projectUrl: string): PipelineJson {
  return {
    id: pipeline.id,
    iid: pipeline.iid,
    project_id: pipeline.project_id,
    sha: pipeline.sha,
    ref: pipeline.ref,
    status: pipeline.status,
    source: pipeline.source,
    created_at: pipeline.created_at,
    updated_at: pipeline.updated_at,
    web_url: `${projectUrl}/-/pipelines/${pipeline.id}`,
  };
}

export function pipelineListed(
  pipeline: Pipeline,
  projectUrl: string,
  details?: Static<typeof PipelineListed>['details'],
): Static<typeof PipelineListed> {
  return { ...pipelineBasic(pipeline, projectUrl), name: pipeline.name, ...(details ? { details } : {}) };
}

/** `project` with the names and paths of the groups above it. */
export const pipelineAcross = (
  row: Pipeline,
  externalUrl: string,
  { id, name, path }: { readonly id: number; readonly name: string; readonly path: string },
  details?: Static<typeof PipelineListed>['details'],
): Static<typeof PipelineAcross> => ({
  ...pipelineListed(row, `${externalUrl}/${path}`, details),
  project: { id, name_with_namespace: name, path_with_namespace: path },
});

export interface PipelineDetailParts {
  readonly pipeline: Pipeline;
  readonly user: User | undefined;
  /** A job that may fail did. */
  readonly warnings: boolean;
  readonly archived: boolean;
  readonly projectUrl: string;
  readonly externalUrl: string;
}

export function pipelineDetail({
  pipeline,
  user,
  warnings,
  archived,
  projectUrl,
  externalUrl,
}: PipelineDetailParts): PipelineDetailJson {
  const path = `${new URL(projectUrl).pathname}/-/pipelines/${pipeline.id}`;
  return {
    ...pipelineBasic(pipeline, projectUrl),
    before_sha: pipeline.before_sha,
    tag: pipeline.tag,
    name: pipeline.name,
    yaml_errors: pipeline.yaml_errors,
    user: user ? userReference(user, externalUrl) : null,
    started_at: pipeline.started_at,
    finished_at: pipeline.finished_at,
    // Null until it has started, like the other times.
    committed_at: pipeline.started_at === null ? null : pipeline.committed_at,
    duration: pipeline.duration,
    queued_duration: pipeline.queued_duration,
    coverage: pipeline.coverage,
    queue_priority: pipeline.queue_priority,
    archived,
    warnings: (pipeline.warnings as string[]).map((message) => ({ message })),
    detailed_status: detailedStatus(pipeline.status as JobStatus, { warnings, details: path }),
  };
}
