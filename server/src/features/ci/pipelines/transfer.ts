/** The history of pipelines in archives of projects: with jobs and commit statuses, of which nothing runs again. */
import Type from 'typebox';
import { Bool, DateTimeParam, Int, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Relation, relation, removing, reserving, settlingNumbers } from '../../namespaces/index.ts';
import {
  insertArchivedJobs,
  insertArchivedPipeline,
  insertArchivedSource,
  insertArchivedStatuses,
  pipelinesOf,
} from './transfer.queries.ts';

const iid = Int({ minimum: 1, maximum: 2_147_483_647 });
const sha = Str({ pattern: '^[0-9a-f]{40}$' });
const ref = Str({ minLength: 1, maxLength: 1024 });
const word = Str({ pattern: '^[a-z_]{1,60}$' });
const named = Str({ minLength: 1, maxLength: 255 });
const status = OneOf(['success', 'failed', 'canceled', 'skipped']);
const maybe = {
  sha: Optional(OrNull(sha)),
  time: Optional(OrNull(DateTimeParam())),
  person: Optional(OrNull(named)),
  word: Optional(OrNull(word)),
  /** A percentage with two digits. */
  coverage: Optional(OrNull(Str({ pattern: '^\\d{1,3}(\\.\\d{1,2})?$' }))),
  count: Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 }))),
  text: (maxLength: number) => Optional(OrNull(Str({ maxLength }))),
};
/** Jobs, commit statuses, stages and the like of one pipeline. */
const most = 5000;

const job = Type.Object({
  name: named,
  kind: Optional(OneOf(['job', 'bridge'])),
  stage: named,
  stage_index: Int({ minimum: 0, maximum: most }),
  status,
  when: Optional(OneOf(['on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'])),
  allow_failure: Optional(Bool()),
  needs: Optional(OrNull(List(Type.Object({ name: named, artifacts: Bool() })))),
  tag_list: Optional(List(named)),
  user: maybe.person,
  failure_reason: maybe.word,
  exit_code: Optional(OrNull(Int({ minimum: -2_147_483_648, maximum: 2_147_483_647 }))),
  retried: Optional(Bool()),
  attempt: Optional(Int({ minimum: 0, maximum: 1000 })),
  coverage: maybe.coverage,
  timeout_seconds: maybe.count,
  interruptible: Optional(Bool()),
  resource_group: maybe.text(255),
  environment: maybe.text(255),
  created_at: DateTimeParam(),
  updated_at: Optional(DateTimeParam()),
  queued_at: maybe.time,
  started_at: maybe.time,
  finished_at: maybe.time,
});

const commitStatus = Type.Object({
  name: named,
  status,
  target_url: maybe.text(2048),
  description: maybe.text(10_000),
  coverage: maybe.coverage,
  user: maybe.person,
  retried: Optional(Bool()),
  created_at: DateTimeParam(),
  started_at: maybe.time,
  finished_at: maybe.time,
});

const reserve = reserving('pipeline');

export const pipelineRelation: Relation = relation({
  name: 'ci_pipelines',
  schema: Type.Object({
    iid,
    sha,
    before_sha: Optional(sha),
    ref,
    tag: Optional(Bool()),
    source: word,
    status,
    name: maybe.text(255),
    user: maybe.person,
    /** Number of the merge request. */
    merge_request: Optional(OrNull(iid)),
    yaml_errors: maybe.text(100_000),
    failure_reason: maybe.word,
    warnings: Optional(List(Str({ maxLength: 10_000 }))),
    stages: Optional(List(named)),
    coverage: maybe.coverage,
    committed_at: maybe.time,
    created_at: DateTimeParam(),
    updated_at: DateTimeParam(),
    started_at: maybe.time,
    finished_at: maybe.time,
    duration: maybe.count,
    queued_duration: maybe.count,
    source_sha: maybe.sha,
    target_sha: maybe.sha,
    /** The job that started it, by the number of its pipeline and its place among the jobs there. */
    started_by: Optional(OrNull(Type.Object({ pipeline: iid, job: Int({ minimum: 1, maximum: most }) }))),
    jobs: List(job),
    commit_statuses: Optional(List(commitStatus)),
  }),
  rows: pipelinesOf,
  insert: async (tx, row, target) => {
    const { jobs, commit_statuses: statuses = [], started_by: by, user, merge_request: request, ...columns } = row;
    const { warnings = [], stages = [], ref, tag = false } = columns;
    if ([jobs, statuses, warnings, stages].some(({ length }) => length > most))
      return `has more than ${most} jobs, commit statuses, stages or warnings`;
    if (by && by.pipeline >= row.iid) return 'was started by a later pipeline';
    const { projectId: project_id } = target;
    const id = await insertArchivedPipeline(
      tx,
      { ...columns, project_id, user_id: await target.person(user), warnings: JSON.stringify(warnings), stages, tag },
      request ?? null,
    );
    if (id === undefined) return 'is there already';
    const own = { project_id, pipeline_id: id };
    await insertArchivedJobs(
      tx,
      await Promise.all(
        jobs.map(async ({ user: by, needs, ...each }) => ({
          ...each,
          ...own,
          ...{ ref, tag, plan: '{}' },
          needs: needs ? JSON.stringify(needs) : null,
          user_id: await target.person(by),
        })),
      ),
    );
    await insertArchivedStatuses(
      tx,
      await Promise.all(
        statuses.map(async ({ user: by, ...each }) => ({ ...each, ...own, user_id: await target.person(by) })),
      ),
    );
    if (by) await insertArchivedSource(tx, project_id, id, by);
    await reserve(tx, row.iid, target);
    return null;
  },
  arrived: settlingNumbers('pipelines', 'pipeline'),
  remove: removing('pipelines'),
});
