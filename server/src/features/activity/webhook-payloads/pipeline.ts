/** Payloads of pipelines and jobs. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline, Runner } from '../../../kernel/db/rows.ts';
import {
  commitPart,
  dateText,
  mergeRequestBrief,
  personPart,
  projectPart,
  pushedRepositoryPart,
  type Urls,
  webUrlOf,
} from '../../review/messages/index.ts';
import type { HookRepository } from './push.ts';
import { type BuildRow, buildsOf, mergeRequestById, pipelineById, runnersById, usersById } from './webhooks.queries.ts';

interface PipelineReader {
  readonly db: Db;
  readonly repository: HookRepository;
  readonly urls: Urls;
}

/** More jobs than that make a payload that no receiver takes. */
const buildsLimit = 1000;

const seconds = (from: Date | null, to: Date | null) =>
  from && to ? Math.max(0, (to.getTime() - from.getTime()) / 1000) : null;

const runnerPart = (runner: Runner | undefined) =>
  runner
    ? {
        id: runner.id,
        description: runner.description,
        active: !runner.paused,
        runner_type: runner.runner_type,
        is_shared: runner.runner_type === 'instance_type',
        tags: runner.tag_list,
      }
    : null;

const environmentPart = ({ environment: name, environment_action: action, environment_tier: tier }: BuildRow) =>
  name === null ? null : { name, action: action ?? 'start', deployment_tier: tier };

const idsOf = (rows: readonly BuildRow[], key: 'user_id' | 'runner_id') => [
  ...new Set(rows.map((row) => row[key]).filter((id) => id !== null)),
];

export async function pipelinePayload(deps: PipelineReader, subject: ProjectSubject, pipeline: Pipeline) {
  const { db, urls } = deps;
  const rows = await buildsOf(db, pipeline.id, buildsLimit);
  const [users, runners, commit, request] = await Promise.all([
    usersById(db, [...new Set([...idsOf(rows, 'user_id'), ...(pipeline.user_id === null ? [] : [pipeline.user_id])])]),
    runnersById(db, idsOf(rows, 'runner_id')),
    deps.repository.commit(subject, pipeline.sha),
    pipeline.merge_request_id === null ? undefined : mergeRequestById(db, pipeline.merge_request_id),
  ]);
  const person = (id: number | null) => personPart(users.find((user) => user.id === id) ?? null, urls);
  const webUrl = webUrlOf(subject, urls);
  return {
    object_kind: 'pipeline',
    object_attributes: {
      id: pipeline.id,
      iid: pipeline.iid,
      name: pipeline.name,
      ref: pipeline.ref,
      tag: pipeline.tag,
      sha: pipeline.sha,
      before_sha: pipeline.before_sha,
      source: pipeline.source,
      status: pipeline.status,
      detailed_status: pipeline.status,
      stages: pipeline.stages,
      created_at: dateText(pipeline.created_at),
      finished_at: dateText(pipeline.finished_at),
      duration: pipeline.duration,
      queued_duration: pipeline.queued_duration,
      // Values that people gave are secrets as often as not: their names and values stay here.
      variables: [],
      url: `${webUrl}/-/pipelines/${pipeline.id}`,
    },
    merge_request: request ? mergeRequestBrief(request, subject, urls) : null,
    user: person(pipeline.user_id),
    project: projectPart(subject, urls),
    commit: commit && commitPart(commit, webUrl),
    builds: rows.map((row) => ({
      id: row.id,
      stage: row.stage,
      name: row.name,
      status: row.status,
      created_at: dateText(row.created_at),
      started_at: dateText(row.started_at),
      finished_at: dateText(row.finished_at),
      duration: seconds(row.started_at, row.finished_at),
      queued_duration: seconds(row.queued_at, row.started_at),
      failure_reason: row.status === 'failed' ? row.failure_reason : null,
      when: row.when,
      manual: row.when === 'manual',
      allow_failure: row.allow_failure,
      user: person(row.user_id),
      runner: runnerPart(runners.find(({ id }) => id === row.runner_id)),
      artifacts_file: { filename: row.artifacts_name, size: row.artifacts_size },
      environment: environmentPart(row),
    })),
  };
}

const iso = (date: Date | null) => date && `${date.toISOString().slice(0, 19)}Z`;

export async function jobPayload(deps: PipelineReader, subject: ProjectSubject, job: BuildRow) {
  const { db, urls } = deps;
  const pipeline = await pipelineById(db, job.pipeline_id);
  if (!pipeline) return null;
  const [users, runners, commit] = await Promise.all([
    usersById(db, idsOf([job], 'user_id')),
    runnersById(db, idsOf([job], 'runner_id')),
    deps.repository.commit(subject, pipeline.sha),
  ]);
  const user = personPart(users[0] ?? null, urls);
  return {
    object_kind: 'build',
    ref: job.ref,
    tag: job.tag,
    before_sha: pipeline.before_sha,
    sha: pipeline.sha,
    retries_count: job.attempt,
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: job.status,
    build_created_at: dateText(job.created_at),
    build_created_at_iso: iso(job.created_at),
    build_started_at: dateText(job.started_at),
    build_started_at_iso: iso(job.started_at),
    build_finished_at: dateText(job.finished_at),
    build_finished_at_iso: iso(job.finished_at),
    build_duration: seconds(job.started_at, job.finished_at),
    build_queued_duration: seconds(job.queued_at, job.started_at),
    build_allow_failure: job.allow_failure,
    build_failure_reason: job.status === 'failed' ? (job.failure_reason ?? 'unknown_failure') : 'unknown_failure',
    pipeline_id: pipeline.id,
    runner: runnerPart(runners[0]),
    project_id: subject.project.id,
    project_name: `${subject.namespace.full_name} / ${subject.project.name}`,
    user,
    commit: {
      // The id of the pipeline, as receivers know it.
      id: pipeline.id,
      name: pipeline.name,
      sha: pipeline.sha,
      message: commit?.message ?? null,
      author_name: commit?.author_name ?? null,
      author_email: commit?.author_email ?? null,
      author_url: user ? `${urls.externalUrl}/${user.username}` : null,
      status: pipeline.status,
      duration: pipeline.duration,
      started_at: dateText(pipeline.started_at),
      started_at_iso: iso(pipeline.started_at),
      finished_at: dateText(pipeline.finished_at),
      finished_at_iso: iso(pipeline.finished_at),
    },
    repository: pushedRepositoryPart(subject, urls),
    project: projectPart(subject, urls),
    environment: environmentPart(job),
  };
}
