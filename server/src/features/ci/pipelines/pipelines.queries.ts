/** Rows of `pipelines`: lists and lookups for the API, and making them. */
import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import type { MergeRequest, Pipeline, User } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, withTables } from '../../namespaces/index.ts';
import type { JobPlan, PlanNeed } from '../jobs/plan.ts';
import type { JobStatus } from '../scheduling/job-states.ts';
import type { QueuePriority } from './priority.ts';

interface CommonFilter {
  readonly statuses?: readonly string[] | undefined;
  readonly tag?: boolean | undefined;
  readonly ref?: string | undefined;
  readonly sha?: string | undefined;
  readonly source?: string | undefined;
  readonly username?: string | undefined;
  readonly name?: string | undefined;
  readonly yamlErrors?: boolean | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly mergeRequestId?: number | undefined;
  readonly scheduleId?: number | undefined;
}

export interface PipelineFilter extends CommonFilter {
  readonly projectId: number;
  /** Only the newest of each ref that exists. */
  readonly newestOfEachRef?: boolean | undefined;
}

export type PipelineOrder = 'id' | 'status' | 'ref' | 'updated_at' | 'user_id';

function narrowed(db: Db, filter: CommonFilter) {
  let query = db.selectFrom('pipelines');
  if (filter.statuses) query = query.where('status', 'in', [...filter.statuses]);
  if (filter.tag !== undefined) query = query.where('tag', '=', filter.tag);
  if (filter.tag === false) query = query.where('merge_request_id', 'is', null);
  if (filter.ref !== undefined) query = query.where('ref', '=', filter.ref);
  if (filter.sha !== undefined) query = query.where('sha', '=', filter.sha);
  // Children are shown with their parents, unless they are asked for.
  if (filter.source === undefined) query = query.where('source', '!=', 'parent_pipeline');
  if (filter.source !== undefined) query = query.where('source', '=', filter.source);
  if (filter.name !== undefined) query = query.where('name', '=', filter.name);
  if (filter.yamlErrors !== undefined) query = query.where('yaml_errors', filter.yamlErrors ? 'is not' : 'is', null);
  if (filter.updatedAfter) query = query.where('updated_at', '>', filter.updatedAfter);
  if (filter.updatedBefore) query = query.where('updated_at', '<', filter.updatedBefore);
  if (filter.createdAfter) query = query.where('created_at', '>', filter.createdAfter);
  if (filter.createdBefore) query = query.where('created_at', '<', filter.createdBefore);
  if (filter.scheduleId !== undefined) query = query.where('schedule_id', '=', filter.scheduleId);
  if (filter.mergeRequestId !== undefined) query = query.where('merge_request_id', '=', filter.mergeRequestId);
  if (filter.username !== undefined) {
    const user = db.selectFrom('users').select('id').where(sql`lower(username)`, '=', filter.username.toLowerCase());
    query = query.where('user_id', '=', user);
  }
  return query;
}

function filtered(db: Db, filter: PipelineFilter) {
  let query = narrowed(db, filter).where('project_id', '=', filter.projectId);
  if (filter.newestOfEachRef) {
    const newest = db
      .selectFrom('pipelines as newest')
      .select((eb) => eb.fn.max('newest.id').as('id'))
      .where('newest.project_id', '=', filter.projectId)
      .where('newest.source', '!=', 'parent_pipeline')
      .groupBy('newest.ref');
    query = query.where('id', 'in', newest);
  }
  return query;
}

/** A page of pipelines and their number up to the limit of counting. */
export async function listPipelines(
  db: Db,
  filter: PipelineFilter,
  order: { readonly by: PipelineOrder; readonly direction: 'asc' | 'desc' },
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Pipeline[]; total: number }> {
  const query = filtered(db, filter);
  let ordered = query.selectAll().orderBy(order.by, order.direction);
  if (order.by !== 'id') ordered = ordered.orderBy('id', order.direction);
  const [rows, total] = await Promise.all([
    ordered.limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** A page of the pipelines of all projects below a group that the caller may see, the newest first. */
export async function listGroupPipelines(
  db: Db,
  caller: Caller,
  groupId: number,
  filter: CommonFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Pipeline[]; total: number }> {
  const { tables, condition } = abilityScope(caller, 'read_pipeline');
  // An array, which the index by project is asked for.
  const query = narrowed(db, filter).where(
    sql<boolean>`project_id = any(array(${withTables(tables)}
      select p.id from projects p where p.namespace_id in ${below(groupId)} and ${condition}))`,
  );
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export async function findPipeline(db: Db, projectId: number, id: number): Promise<Pipeline | undefined> {
  return await db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function findPipelineById(db: Db, id: number): Promise<Pipeline | undefined> {
  return await db.selectFrom('pipelines').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest pipeline of a ref, of one commit where given. */
export async function newestPipeline(
  db: Db,
  projectId: number,
  of: { readonly ref?: string | undefined; readonly tag?: boolean; readonly sha?: string },
): Promise<Pipeline | undefined> {
  let query = db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('source', '!=', 'parent_pipeline');
  if (of.ref !== undefined) query = query.where('ref', '=', of.ref);
  if (of.tag !== undefined) query = query.where('tag', '=', of.tag);
  if (of.sha !== undefined) query = query.where('sha', '=', of.sha);
  return await query.orderBy('id', 'desc').limit(1).executeTakeFirst();
}

type BuiltRequest = Pick<MergeRequest, 'id' | 'source_project_id' | 'source_branch'>;

/** Pipelines of a merge request: its own and those of its source branch's commits. */
function ofMergeRequest(db: Db, request: BuiltRequest) {
  const shas = db.selectFrom('merge_request_versions').select('head_sha').where('merge_request_id', '=', request.id);
  return db
    .selectFrom('pipelines')
    .where('source', '!=', 'parent_pipeline')
    .where((where) =>
      where.or([
        where('merge_request_id', '=', request.id),
        where.and([
          where('project_id', '=', request.source_project_id ?? 0),
          where('ref', '=', request.source_branch),
          where('merge_request_id', 'is', null),
          where('sha', 'in', shas),
        ]),
      ]),
    );
}

export const countPipelinesOfMergeRequest = (db: Db, request: BuiltRequest): Promise<number> =>
  countUpTo(db, ofMergeRequest(db, request).select('id'));

export async function pipelinesOfMergeRequest(
  db: Db,
  request: BuiltRequest,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Pipeline[]; total: number }> {
  const [rows, total] = await Promise.all([
    ofMergeRequest(db, request).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countPipelinesOfMergeRequest(db, request),
  ]);
  return { rows, total };
}

export async function findUser(db: Db, id: number | null): Promise<User | undefined> {
  if (id === null) return undefined;
  return await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

export type NewPipeline = Pick<
  Pipeline,
  | 'iid'
  | 'project_id'
  | 'sha'
  | 'before_sha'
  | 'ref'
  | 'tag'
  | 'ref_protected'
  | 'source'
  | 'status'
  | 'name'
  | 'user_id'
  | 'merge_request_id'
  | 'schedule_id'
  | 'trigger_id'
  | 'source_sha'
  | 'target_sha'
  | 'yaml_errors'
  | 'failure_reason'
  | 'stages'
  | 'committed_at'
  | 'auto_cancel_on_new_commit'
  | 'auto_cancel_on_job_failure'
  | 'queue_priority'
> & { readonly warnings: readonly string[] } & Partial<Pick<Pipeline, 'created_at'>>;

type PipelinePlace = Pick<
  NewPipeline,
  | 'project_id'
  | 'sha'
  | 'before_sha'
  | 'ref'
  | 'tag'
  | 'ref_protected'
  | 'source'
  | 'user_id'
  | 'merge_request_id'
  | 'committed_at'
> &
  Partial<
    Pick<NewPipeline, 'schedule_id' | 'trigger_id' | 'source_sha' | 'target_sha' | 'queue_priority' | 'created_at'>
  >;

/** A pipeline that nothing is known of yet but what it is for. */
export function blankPipeline(place: PipelinePlace): Omit<NewPipeline, 'iid'> {
  return {
    schedule_id: null,
    trigger_id: null,
    source_sha: null,
    target_sha: null,
    queue_priority: 'normal',
    ...place,
    status: 'created',
    name: null,
    yaml_errors: null,
    failure_reason: null,
    stages: [],
    warnings: [],
    auto_cancel_on_new_commit: 'conservative',
    auto_cancel_on_job_failure: 'none',
  };
}

const columnsOf = (pipeline: NewPipeline) => ({
  ...pipeline,
  warnings: JSON.stringify(pipeline.warnings),
  ...(pipeline.status === 'failed' || pipeline.status === 'skipped' ? { finished_at: sql<Date>`now()` } : {}),
});

export async function insertPipeline(tx: Db, pipeline: NewPipeline): Promise<Pipeline> {
  const [row] = await insertPipelines(tx, [pipeline]);
  return row as Pipeline;
}

/** Several of one project; the new rows are in the order of what was given. */
export async function insertPipelines(tx: Db, pipelines: readonly NewPipeline[]): Promise<Pipeline[]> {
  const rows = await tx.insertInto('pipelines').values(pipelines.map(columnsOf)).returningAll().execute();
  const byIid = new Map(rows.map((row) => [row.iid, row]));
  return pipelines.map(({ iid }) => byIid.get(iid) as Pipeline);
}

export interface NewJob {
  readonly name: string;
  /** `bridge`: starts another pipeline. */
  readonly kind: 'job' | 'bridge';
  readonly stage: string;
  readonly stageIndex: number;
  readonly when: string;
  readonly allowFailure: boolean;
  readonly plan: JobPlan;
  readonly needs: readonly PlanNeed[] | null;
  readonly tags: readonly string[];
  readonly interruptible: boolean;
  readonly resourceGroup: string | null;
  readonly environment: string | null;
}

/** Jobs inserted with one statement: their plans are in memory as text meanwhile. */
const insertedAtOnce = 500;

/** Jobs of new pipelines, in the statuses in which they begin. */
export async function insertJobs(
  tx: Db,
  jobs: ReadonlyArray<{ readonly pipeline: Pipeline; readonly job: NewJob; readonly status: JobStatus }>,
): Promise<void> {
  for (let at = 0; at < jobs.length; at += insertedAtOnce) {
    const rows = jobs.slice(at, at + insertedAtOnce).map(({ pipeline, job, status }) => ({
      project_id: pipeline.project_id,
      pipeline_id: pipeline.id,
      name: job.name,
      kind: job.kind,
      stage: job.stage,
      stage_index: job.stageIndex,
      status,
      // As PostgreSQL reads it: when the transaction began, as of rows that are updated.
      queued_at: status === 'pending' ? 'now' : null,
      when: job.when,
      allow_failure: job.allowFailure,
      plan: job.plan,
      needs: job.needs,
      ref: pipeline.ref,
      tag: pipeline.tag,
      ref_protected: pipeline.ref_protected,
      tag_list: job.tags,
      user_id: pipeline.user_id,
      interruptible: job.interruptible,
      resource_group: job.resourceGroup,
      environment: job.environment,
    }));
    await insertMany(tx, 'jobs', rows);
  }
}

export interface NewPipelineVariable {
  readonly pipelineId: number;
  readonly key: string;
  readonly sealed: Buffer;
  readonly type: string;
  readonly raw: boolean;
}

export async function insertPipelineVariables(tx: Db, variables: readonly NewPipelineVariable[]): Promise<void> {
  if (variables.length === 0) return;
  await tx
    .insertInto('pipeline_variables')
    .values(
      variables.map((item) => ({
        pipeline_id: item.pipelineId,
        key: item.key,
        value_encrypted: item.sealed,
        variable_type: item.type,
        raw: item.raw,
      })),
    )
    .execute();
}

/** Names a pipeline; undefined when it is gone. */
export async function renamePipeline(db: Db, id: number, name: string): Promise<Pipeline | undefined> {
  return await db.updateTable('pipelines').set({ name }).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Where the jobs of a pipeline stand among those of its project; undefined when it is gone. */
export async function prioritizePipeline(db: Db, id: number, priority: QueuePriority): Promise<Pipeline | undefined> {
  return await db
    .updateTable('pipelines')
    .set({ queue_priority: priority })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Child pipelines have the priority of their parent. */
export async function priorityOfPipeline(db: Db, id: number): Promise<QueuePriority> {
  const row = await db.selectFrom('pipelines').select('queue_priority').where('id', '=', id).executeTakeFirst();
  return row?.queue_priority ?? 'normal';
}

export async function deletePipeline(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('pipelines').where('id', '=', id).execute();
}

/** Older pipelines of the same ref and kind that have not ended. */
export async function unfinishedBefore(tx: Db, pipeline: Pipeline): Promise<Pipeline[]> {
  return await tx
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', pipeline.project_id)
    .where('ref', '=', pipeline.ref)
    .where('tag', '=', pipeline.tag)
    .where('id', '<', pipeline.id)
    .where('sha', '!=', pipeline.sha)
    // Children go with their parents.
    .where('source', '!=', 'parent_pipeline')
    .where('status', 'in', [
      'created',
      'waiting_for_resource',
      'preparing',
      'pending',
      'running',
      'manual',
      'scheduled',
    ])
    .orderBy('id')
    .execute();
}

/** Whether a job that may not be interrupted has started. */
export async function startedUninterruptible(tx: Db, pipelineId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('jobs')
    .select('id')
    .where('pipeline_id', '=', pipelineId)
    .where('interruptible', '=', false)
    .where('started_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a pipeline of this kind was made for the commit already: facts may be delivered twice. */
export async function existsFor(
  db: Db,
  key: { projectId: number; sha: string; ref: string; source: string; beforeSha: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', key.projectId)
    .where('sha', '=', key.sha)
    .where('ref', '=', key.ref)
    .where('source', '=', key.source)
    .where('before_sha', '=', key.beforeSha)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a pipeline of the head of a merge request was made already, on its own or merged into the target. */
export async function existsForHead(db: Db, mergeRequestId: number, head: string): Promise<boolean> {
  const row = await db
    .selectFrom('pipelines')
    .select('id')
    .where('merge_request_id', '=', mergeRequestId)
    .where('source', '=', 'merge_request_event')
    .where((eb) => eb.or([eb('sha', '=', head), eb('source_sha', '=', head)]))
    .where('ref', 'not like', 'refs/merge-requests/%/train')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The newest pipeline that a merge train made for a commit; a worker that ended may have left it behind. */
export async function trainPipeline(
  db: Db,
  of: { readonly mergeRequestId: number; readonly ref: string; readonly sha: string },
): Promise<Pipeline | undefined> {
  return await db
    .selectFrom('pipelines')
    .selectAll()
    .where('merge_request_id', '=', of.mergeRequestId)
    .where('ref', '=', of.ref)
    .where('sha', '=', of.sha)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}
