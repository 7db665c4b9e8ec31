/** Adding work: one statement, inside the caller's transaction. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import type { TaskReference } from './task.ts';

interface JobOptions {
  /** Not before this time. */
  readonly runAt?: Date;
  /** A job with the same key that still waits is replaced. */
  readonly jobKey?: string;
  /** `replace` (default) moves the time of what waits; `preserve_run_at` keeps it. */
  readonly jobKeyMode?: 'replace' | 'preserve_run_at';
  /** Jobs of one queue run one after the other. Few different names only. */
  readonly queueName?: string;
  /** Smaller runs sooner; default 0. */
  readonly priority?: number;
}

/** Adds a job; it exists when the transaction commits, and starts within milliseconds of it. */
export async function addJob<P>(
  handle: Db,
  task: TaskReference<P>,
  payload: P,
  options: JobOptions = {},
): Promise<void> {
  const { runAt = null, jobKey = null, jobKeyMode = 'replace', queueName = null, priority = null } = options;
  await sql`select graphile_worker.add_job(
    ${task.name}, payload => ${JSON.stringify(payload)}::json, queue_name => ${queueName}::text,
    run_at => ${runAt}::timestamptz, max_attempts => ${task.maxAttempts ?? 10}::int, job_key => ${jobKey}::text,
    priority => ${priority}::int, job_key_mode => ${jobKeyMode}::text)`.execute(handle);
}

/** Whether a job with the key waits or runs, and is not given up. */
export async function jobExists(handle: Db, jobKey: string): Promise<boolean> {
  const { rows } =
    await sql`select from graphile_worker.jobs where key = ${jobKey} and attempts < max_attempts`.execute(handle);
  return rows.length > 0;
}

/** The payload of a job with the key that runs, or starts as soon as a worker is free. */
export async function duePayload<P>(handle: Db, _task: TaskReference<P>, jobKey: string): Promise<P | undefined> {
  const { rows } = await sql<{ payload: P }>`
    select payload from graphile_worker._private_jobs
    where key = ${jobKey} and run_at <= now() and attempts < max_attempts`.execute(handle);
  return rows[0]?.payload;
}

/** Adds many jobs of one task with one statement; a job whose key waits already is replaced. */
export async function addJobs<P>(
  handle: Db,
  task: TaskReference<P>,
  jobs: ReadonlyArray<{ readonly payload: P; readonly jobKey: string } & Pick<JobOptions, 'queueName' | 'priority'>>,
): Promise<void> {
  if (jobs.length === 0) return;
  const attempts = task.maxAttempts ?? 10;
  const specs = jobs.map(({ payload, jobKey, queueName = null, priority = null }) => ({
    identifier: task.name,
    payload,
    job_key: jobKey,
    queue_name: queueName,
    priority,
    max_attempts: attempts,
  }));
  await sql`select graphile_worker.add_jobs(
    array(select json_populate_recordset(null::graphile_worker.job_spec, ${JSON.stringify(specs)}::json)))`.execute(
    handle,
  );
}

/** Names under which workers of any process hold jobs or queues now. */
export async function lockingWorkers(handle: Db): Promise<string[]> {
  const { rows } = await sql<{ worker: string }>`
    select locked_by as worker from graphile_worker._private_jobs where locked_by is not null
    union
    select locked_by from graphile_worker._private_job_queues where locked_by is not null`.execute(handle);
  return rows.map(({ worker }) => worker);
}

/** Gives the jobs of workers that are no more back, so that others take them. */
export async function unlockWorkers(handle: Db, workers: readonly string[]): Promise<void> {
  await sql`select graphile_worker.force_unlock_workers(${[...workers]}::text[])`.execute(handle);
}

/** How much waits, is due, and has failed for good. */
export async function queueDepth(handle: Db): Promise<{ ready: number; delayed: number; dead: number }> {
  const { rows } = await sql<{ ready: number; delayed: number; dead: number }>`
    select count(*) filter (where attempts < max_attempts and run_at <= now()) as ready,
      count(*) filter (where attempts < max_attempts and run_at > now()) as delayed,
      count(*) filter (where attempts >= max_attempts) as dead
    from graphile_worker._private_jobs`.execute(handle);
  return rows[0] ?? { ready: 0, delayed: 0, dead: 0 };
}
