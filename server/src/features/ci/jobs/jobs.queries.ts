/** Rows of `jobs`: reading for the API, attempts, ends. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, JobArtifact, Pipeline, Runner, RunnerManager, User } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo, type Direction, idOrder } from '../../../kernel/http/paging.queries.ts';
import type { JobStatus } from '../scheduling/job-states.ts';
import type { LogEnd } from '../traces/traces.queries.ts';
import type { JobPlan } from './plan.ts';

/** A job with everything that its JSON shows. */
export interface JobView {
  readonly job: Job;
  readonly pipeline: Pipeline;
  readonly user: User | null;
  readonly erasedBy: User | null;
  readonly runner: Runner | null;
  readonly runnerCreator: User | undefined;
  readonly manager: RunnerManager | null;
  readonly artifacts: readonly JobArtifact[];
}

const byId = <T extends { id: number }>(rows: readonly T[]) => new Map(rows.map((row) => [row.id, row]));
const present = (ids: ReadonlyArray<number | null>): number[] => [
  ...new Set(ids.filter((id): id is number => id !== null)),
];

async function rowsById<T extends { id: number }>(
  ids: readonly number[],
  read: (ids: number[]) => Promise<T[]>,
): Promise<Map<number, T>> {
  return ids.length === 0 ? new Map() : byId(await read([...ids]));
}

/** The people that rows name, by id. */
export const usersById = (
  db: Db,
  rows: ReadonlyArray<{ readonly user_id: number | null }>,
): Promise<Map<number, User>> =>
  rowsById(present(rows.map((row) => row.user_id)), (of) =>
    db.selectFrom('users').selectAll().where('id', 'in', of).execute(),
  );

/** Adds what the JSON of jobs shows: one read per table, whatever the number of jobs. */
export async function viewsOf(db: Db, jobs: readonly Job[]): Promise<JobView[]> {
  if (jobs.length === 0) return [];
  const ids = jobs.map((job) => job.id);
  const [pipelines, users, runners, managers, artifacts] = await Promise.all([
    rowsById(present(jobs.map((job) => job.pipeline_id)), (of) =>
      db.selectFrom('pipelines').selectAll().where('id', 'in', of).execute(),
    ),
    usersById(db, [...jobs, ...jobs.map(({ erased_by_id }) => ({ user_id: erased_by_id }))]),
    rowsById(present(jobs.map((job) => job.runner_id)), (of) =>
      db.selectFrom('runners').selectAll().where('id', 'in', of).execute(),
    ),
    rowsById(present(jobs.map((job) => job.runner_manager_id)), (of) =>
      db.selectFrom('runner_managers').selectAll().where('id', 'in', of).execute(),
    ),
    db.selectFrom('job_artifacts').selectAll().where('job_id', 'in', ids).orderBy('id').execute(),
  ]);
  const creators = await usersById(
    db,
    [...runners.values()].map(({ created_by_id }) => ({ user_id: created_by_id })),
  );
  const artifactsOf = Map.groupBy(artifacts, (artifact) => artifact.job_id);
  return jobs.flatMap((job) => {
    const pipeline = pipelines.get(job.pipeline_id);
    // Deleted between two reads.
    if (!pipeline) return [];
    const runner = runners.get(job.runner_id ?? 0) ?? null;
    return [
      {
        job,
        pipeline,
        user: job.user_id === null ? null : (users.get(job.user_id) ?? null),
        erasedBy: job.erased_by_id === null ? null : (users.get(job.erased_by_id) ?? null),
        runner,
        runnerCreator: creators.get(runner?.created_by_id ?? 0),
        manager: job.runner_manager_id === null ? null : (managers.get(job.runner_manager_id) ?? null),
        artifacts: artifactsOf.get(job.id) ?? [],
      },
    ];
  });
}

/** All attempts of the jobs of a pipeline in the order of its stages, with what they wait for instead of the stage before. */
export async function listNeeds(db: Db, pipelineId: number): Promise<Array<Pick<Job, 'name' | 'stage' | 'needs'>>> {
  return await db
    .selectFrom('jobs')
    .select(['name', 'stage', 'needs'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('stage_index')
    .orderBy('id')
    .execute();
}

/** A job of a project. */
export async function findJob(db: Db, projectId: number, id: number): Promise<Job | undefined> {
  return await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', '=', id)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
}

export async function findJobById(db: Db, id: number): Promise<Job | undefined> {
  return await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The job, locked; the pipeline's lock comes first. */
export async function lockJob(tx: Db, id: number): Promise<Job | undefined> {
  return await tx.selectFrom('jobs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

export interface JobFilter {
  readonly projectId: number;
  readonly kind: 'job' | 'bridge';
  readonly pipelineIds?: readonly number[];
  readonly statuses: readonly string[];
  readonly includeRetried: boolean;
  readonly idAfter?: number | undefined;
  readonly idBefore?: number | undefined;
}

/** The order of every list of jobs. */
export const jobOrder = (direction: Direction) => idOrder<Pick<Job, 'id'>>(direction);

/** One page of jobs in the order of their ids; keyset pages are not counted. */
export async function listJobs(
  db: Db,
  filter: JobFilter,
  page: Pick<Page, 'style' | 'limit' | 'offset' | 'after'>,
  direction: Direction = 'desc',
): Promise<{ rows: Job[]; total: number | null }> {
  let query = db.selectFrom('jobs').where('project_id', '=', filter.projectId).where('kind', '=', filter.kind);
  if (filter.pipelineIds) query = query.where('pipeline_id', 'in', [...filter.pipelineIds]);
  if (filter.statuses.length > 0) query = query.where('status', 'in', [...filter.statuses]);
  if (!filter.includeRetried) query = query.where('retried', '=', false);
  if (filter.idAfter !== undefined) query = query.where('id', '>', filter.idAfter);
  if (filter.idBefore !== undefined) query = query.where('id', '<', filter.idBefore);
  const order = jobOrder(direction);
  const continued = order.after(page.after);
  const [rows, total] = await Promise.all([
    (continued ? query.where(continued) : query)
      .selectAll()
      .orderBy(order.orderBy)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    page.style === 'keyset' ? null : countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export interface JobEnd {
  readonly status: JobStatus;
  readonly failureReason: string | null;
  readonly exitCode: number | null;
  readonly allowFailure: boolean;
  readonly canceledById?: number | null;
}

/** Columns of the log that came with the end. */
const logColumns = ({ size, crc32, stored }: LogEnd) => ({
  ...{ trace_size: size, trace_crc32: crc32, contacted_at: sql<Date>`now()` },
  ...('objectKey' in stored ? { trace_object_key: stored.objectKey, trace_cut_at: stored.cutAt } : {}),
});

/**
 * Writes the end of a job if it still is in the status from which it ends, and forgets where its runner accepted terminals;
 * its row and whether it left reports, or undefined when it is not. With the end of its log, if that ends where it begins.
 */
export async function endJob(
  tx: Db,
  id: number,
  from: JobStatus,
  end: JobEnd,
  log?: LogEnd,
): Promise<(Job & { readonly reports: boolean }) | undefined> {
  const piece = log && 'data' in log.stored ? { start: log.start, data: log.stored.data } : { start: 0, data: null };
  return await tx
    .with('ended', (db) =>
      db
        .updateTable('jobs')
        .set({
          status: end.status,
          failure_reason: end.failureReason,
          exit_code: end.exitCode,
          allow_failure: end.allowFailure,
          finished_at: sql<Date>`now()`,
          updated_at: sql`now()`,
          ...(end.canceledById === undefined ? {} : { canceled_by_id: end.canceledById }),
          ...(log ? logColumns(log) : {}),
        })
        .where('id', '=', id)
        .where('status', '=', from)
        .$if(log !== undefined, (query) => query.where('trace_size', '=', log?.start ?? 0))
        .returningAll(),
    )
    .with('closed', (db) =>
      db.deleteFrom('job_sessions').where('job_id', 'in', (where) => where.selectFrom('ended').select('id')),
    )
    .with('stored', (db) =>
      db
        .insertInto('job_trace_chunks')
        .columns(['job_id', 'start_byte', 'data'])
        .expression((from) =>
          from
            .selectFrom('ended')
            .select([
              'id',
              sql<number>`${piece.start}::bigint`.as('start_byte'),
              sql<Buffer>`${piece.data}::bytea`.as('data'),
            ])
            .where(sql<boolean>`${piece.data !== null}::boolean`),
        ),
    )
    .selectFrom('ended')
    .selectAll()
    .select(
      sql<boolean>`exists (
        select from job_artifacts where job_id = ended.id and file_type not in ('archive', 'metadata')
      )`.as('reports'),
    )
    .executeTakeFirst();
}

/** A job as those who cancel see it. */
export type CancelableJob = Pick<
  Job,
  | 'id'
  | 'project_id'
  | 'pipeline_id'
  | 'user_id'
  | 'status'
  | 'kind'
  | 'interruptible'
  | 'cancel_gracefully'
  | 'resource_group'
  | 'trace_size'
  | 'trace_object_key'
>;

/** Jobs of a pipeline in one of the statuses, newest attempts only, locked: as they are once nobody else changes them. */
export async function lockJobsInStatuses(
  tx: Db,
  pipelineId: number,
  statuses: readonly string[],
): Promise<CancelableJob[]> {
  return await tx
    .selectFrom('jobs')
    .select([
      ...(['id', 'project_id', 'pipeline_id', 'user_id', 'status', 'kind', 'interruptible'] as const),
      ...(['cancel_gracefully', 'resource_group', 'trace_size', 'trace_object_key'] as const),
    ])
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', false)
    .where('status', 'in', [...statuses])
    .orderBy('id')
    .forUpdate()
    .execute();
}

/** Cancels jobs whose locks the caller holds, as `endJob` ends one; answers which of them left reports. */
export async function cancelLockedJobs(
  tx: Db,
  ids: readonly number[],
  by: number | null | undefined,
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ job_id: number }>`
    with ended as (
      update jobs set status = 'canceled', failure_reason = null, exit_code = null, finished_at = now(),
        updated_at = now(), canceled_by_id = ${by === undefined ? sql.ref('canceled_by_id') : by}
      where id = any(${ids}::bigint[])
      returning id
    ), closed as (
      delete from job_sessions where job_id in (select id from ended)
    )
    select distinct job_id from job_artifacts
    where job_id = any(${ids}::bigint[]) and file_type not in ('archive', 'metadata')`.execute(tx);
  return new Set(rows.map(({ job_id }) => job_id));
}

/** Others are asked to end: their runners let them. */
export async function startCanceling(tx: Db, ids: readonly number[], by: number | null): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('jobs')
    .set({ status: 'canceling', canceled_by_id: by, updated_at: sql`now()` })
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute();
}

/** Another status that is no end; false when the job is no longer in the expected one. */
export async function moveJob(
  tx: Db,
  id: number,
  from: JobStatus,
  to: JobStatus,
  values: Partial<Pick<Job, 'canceled_by_id' | 'user_id' | 'manual_variables_encrypted'>> = {},
): Promise<boolean> {
  const result = await tx
    .updateTable('jobs')
    .set({
      ...values,
      // Of a resource group one job runs at a time: the others wait for it first.
      status:
        to === 'pending' && from !== 'waiting_for_resource'
          ? sql<string>`case when resource_group is null then 'pending' else 'waiting_for_resource' end`
          : to,
      updated_at: sql`now()`,
      ...(to === 'pending' ? { queued_at: sql<Date>`now()` } : {}),
    })
    .where('id', '=', id)
    .where('status', '=', from)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** A new attempt of a job: the same plan in a new row; the old one counts as retried. */
export async function cloneJob(
  tx: Db,
  job: Job,
  values: { readonly userId: number | null; readonly attempt: number },
): Promise<Job> {
  await tx.updateTable('jobs').set({ retried: true, updated_at: sql`now()` }).where('id', '=', job.id).execute();
  return await tx
    .insertInto('jobs')
    .values({
      project_id: job.project_id,
      pipeline_id: job.pipeline_id,
      name: job.name,
      kind: job.kind,
      stage: job.stage,
      stage_index: job.stage_index,
      status: 'created',
      when: job.when,
      allow_failure: job.allow_failure,
      plan: JSON.stringify(job.plan),
      needs: job.needs === null ? null : JSON.stringify(job.needs),
      ref: job.ref,
      tag: job.tag,
      ref_protected: job.ref_protected,
      tag_list: job.tag_list,
      user_id: values.userId,
      manual_variables_encrypted: job.manual_variables_encrypted,
      attempt: values.attempt,
      timeout_seconds: null,
      interruptible: job.interruptible,
      resource_group: job.resource_group,
      environment: job.environment,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function setPlan(tx: Db, id: number, plan: JobPlan): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ plan: JSON.stringify(plan) })
    .where('id', '=', id)
    .execute();
}

/** Whether another attempt of the job was made. */
export async function isRetried(tx: Db, id: number): Promise<boolean> {
  const row = await tx.selectFrom('jobs').select('retried').where('id', '=', id).executeTakeFirst();
  return row?.retried ?? false;
}

/** Skipped jobs wait again. */
export async function resetSkipped(tx: Db, ids: readonly number[], userId: number | null): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('jobs')
    .set({ status: 'created', user_id: userId, updated_at: sql`now()` })
    .where('id', 'in', [...ids])
    .where('status', '=', 'skipped')
    .execute();
}

/** Jobs of a pipeline in one of the statuses, newest attempts only. */
export async function jobsInStatuses(tx: Db, pipelineId: number, statuses: readonly string[]): Promise<Job[]> {
  return await tx
    .selectFrom('jobs')
    .selectAll()
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', false)
    .where('status', 'in', [...statuses])
    .orderBy('id')
    .execute();
}

/** Notes that a job was erased; its log and artifacts are removed by the caller in the same transaction. */
export async function markErased(tx: Db, id: number, userId: number): Promise<Job> {
  return await tx
    .updateTable('jobs')
    .set({
      erased_at: sql<Date>`now()`,
      erased_by_id: userId,
      artifacts_expire_at: null,
      trace_size: 0,
      trace_crc32: 0,
      trace_object_key: null,
      trace_cut_at: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => recordNotFound());
}

/** Whether it was the token of a job that has ended. */
export async function isTokenOfEndedJob(db: Db, tokenSha256: Buffer): Promise<boolean> {
  const job = await db
    .selectFrom('jobs')
    .select('id')
    .where('token_sha256', '=', tokenSha256)
    .where('status', 'not in', ['running', 'canceling'])
    .executeTakeFirst();
  return job !== undefined;
}

/** Everything for the caller behind a job token. */
export async function findTokenJob(db: Db, tokenSha256: Buffer): Promise<{ job: Job; user: User } | undefined> {
  const job = await db
    .selectFrom('jobs')
    .selectAll()
    .where('token_sha256', '=', tokenSha256)
    .where('status', 'in', ['running', 'canceling'])
    .executeTakeFirst();
  if (!job || job.user_id === null) return undefined;
  const user = await db
    .selectFrom('users')
    .selectAll()
    .where('id', '=', job.user_id)
    .where('state', '=', 'active')
    .executeTakeFirst();
  return user && { job, user };
}
