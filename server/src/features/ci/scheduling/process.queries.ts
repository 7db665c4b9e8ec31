/** Rows of one pipeline as the engine reads and moves them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import { wake } from '../../../kernel/events/index.ts';
import { completedStatuses, type JobStatus } from './job-states.ts';

/** Where processes hear that jobs wait for runners. */
export const pendingChannel = 'ci_pending';

/** The pipeline, locked until the transaction ends: everything that changes its jobs takes this lock first. */
export async function lockPipeline(tx: Db, id: number): Promise<Pipeline | undefined> {
  return await tx.selectFrom('pipelines').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Pipelines after `after` that somebody started and that have not ended, the oldest first. */
export async function activePipelinesOf(db: Db, userId: number, after: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pipelines')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'not in', [...completedStatuses])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export type EngineJob = Pick<
  Job,
  | 'id'
  | 'pipeline_id'
  | 'name'
  | 'stage_index'
  | 'status'
  | 'allow_failure'
  | 'when'
  | 'needs'
  | 'coverage'
  | 'started_at'
  | 'finished_at'
  | 'interruptible'
  | 'kind'
  | 'resource_group'
  | 'environment'
> & { readonly start_in_seconds: number | null };

const engineJobs = (tx: Db) =>
  tx.selectFrom('jobs').select([
    'id',
    'pipeline_id',
    'name',
    'stage_index',
    'status',
    'allow_failure',
    'when',
    'needs',
    'coverage',
    'started_at',
    'finished_at',
    'interruptible',
    'kind',
    'resource_group',
    'environment',
    // Plans are large: those of few jobs are looked into.
    sql<number | null>`case when "when" = 'delayed' then (plan ->> 'start_in_seconds')::integer end`.as(
      'start_in_seconds',
    ),
  ]);

/** The newest attempts of all jobs of pipelines. */
export async function newestJobs(tx: Db, pipelineIds: readonly number[]): Promise<EngineJob[]> {
  return await engineJobs(tx)
    .where(sql<boolean>`pipeline_id = any(${pipelineIds}::bigint[])`)
    .where('retried', '=', false)
    .orderBy('id')
    .execute();
}

/**
 * Of the newest attempts of jobs of a pipeline those that may have something to do after jobs of these names have ended, with
 * what they need: jobs that need one of them and nothing that has not ended, and jobs that are given to the queue with every
 * pass.
 */
export async function jobsAfter(tx: Db, pipelineId: number, ended: readonly string[]): Promise<EngineJob[]> {
  return await engineJobs(tx)
    .where(
      sql<boolean>`id in (
        with own as materialized (
          select id, name, status, allow_failure, needs, kind from jobs where pipeline_id = ${pipelineId} and not retried
        ), wanted as (
          select own.id, need.name
          from own cross join jsonb_to_recordset(own.needs) as need (name text)
          where own.status = 'created' and exists (
            select from jsonb_to_recordset(own.needs) as asked (name text) where asked.name = any(${ended}::text[])
          )
        ), waiting as (
          select wanted.id from wanted join own on own.name = wanted.name
          where own.status not in ('success', 'failed', 'canceled', 'skipped')
            and not (own.status = 'manual' and own.allow_failure)
        ), ready as (
          select id, name from wanted where id not in (select id from waiting)
        )
        select id from ready
        union all select own.id from ready join own on own.name = ready.name
        union all select id from own where status = 'waiting_for_resource' or kind = 'bridge' and status = 'pending')`,
    )
    .orderBy('id')
    .execute();
}

/** Newest attempts of jobs of a pipeline that are told apart by nothing that its status depends on. */
export interface JobGroup {
  readonly pipeline_id: number;
  /** Null for what other systems say. */
  readonly stage_index: number | null;
  readonly status: string;
  readonly allow_failure: boolean;
  readonly bridge: boolean;
  /** Whether they wait for jobs by name. */
  readonly needs: boolean;
  readonly deploys: boolean;
  readonly jobs: number;
  readonly covered: number;
  /** Sum of the coverage of `covered` jobs. */
  readonly coverage: number;
}

/** The jobs of pipelines as far as their statuses depend on them: a few rows, however many jobs there are. */
export async function jobGroups(tx: Db, pipelineIds: readonly number[]): Promise<JobGroup[]> {
  const { rows } = await sql<JobGroup>`
    select pipeline_id, stage_index, status, allow_failure, kind = 'bridge' as bridge, needs is not null as needs,
      environment is not null as deploys, count(*)::integer as jobs, count(coverage)::integer as covered,
      coalesce(sum(coverage), 0)::double precision as coverage
    from jobs where pipeline_id = any(${pipelineIds}::bigint[]) and not retried
    group by 1, 2, 3, 4, 5, 6, 7
    union all
    select pipeline_id, null, status, false, false, false, false, count(*)::integer, count(coverage)::integer,
      coalesce(sum(coverage), 0)::double precision
    from commit_statuses where pipeline_id = any(${pipelineIds}::bigint[]) and not retried
    group by 1, 3`.execute(tx);
  return rows;
}

/** When attempts ran, retried ones and those of other systems included. */
export async function runPeriods(tx: Db, pipelineId: number): Promise<Array<{ from: Date; to: Date }>> {
  const of = (table: 'jobs' | 'commit_statuses') =>
    tx
      .selectFrom(table)
      .select(['started_at', 'finished_at'])
      .where('pipeline_id', '=', pipelineId)
      .where('started_at', 'is not', null)
      .where('finished_at', 'is not', null);
  const rows = await of('jobs').unionAll(of('commit_statuses')).execute();
  return rows.map((row) => ({ from: row.started_at as Date, to: row.finished_at as Date }));
}

/** Moves jobs to a status that is not an end. */
export async function moveJobs(tx: Db, ids: readonly number[], status: JobStatus): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('jobs')
    .set({ status, updated_at: sql`now()`, ...(status === 'pending' ? { queued_at: sql<Date>`now()` } : {}) })
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute();
}

/** A delayed job waits from now on; when it is to start. */
export async function scheduleJob(tx: Db, id: number, seconds: number): Promise<Date> {
  const row = await tx
    .updateTable('jobs')
    .set({
      status: 'scheduled',
      updated_at: sql`now()`,
      scheduled_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
    })
    .where('id', '=', id)
    .returning('scheduled_at')
    .executeTakeFirstOrThrow();
  return row.scheduled_at as Date;
}

export type PipelineUpdate = Partial<
  Pick<Pipeline, 'status' | 'started_at' | 'finished_at' | 'duration' | 'queued_duration' | 'coverage'>
>;

export async function updatePipelines(tx: Db, ids: readonly number[], values: PipelineUpdate): Promise<void> {
  await tx
    .updateTable('pipelines')
    .set({ ...values, updated_at: sql`now()` })
    .where(sql<boolean>`id = any(${ids}::bigint[])`)
    .execute();
}

/** Wakes held polls in every process when the transaction commits. */
export async function notifyPending(tx: Db): Promise<void> {
  await wake(tx, pendingChannel);
}

/** The time of the database, which all rows carry. */
export async function databaseNow(tx: Db): Promise<Date> {
  const result = await sql<{ now: Date }>`select now()`.execute(tx);
  return result.rows[0]?.now as Date;
}
