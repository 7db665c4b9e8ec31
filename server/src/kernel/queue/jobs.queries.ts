/** Background jobs as administrators see them: listed, tried again, given up. Payloads stay in the queue: they may hold secrets. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

export const jobStates = ['failed', 'running', 'ready', 'delayed'] as const;
type JobState = (typeof jobStates)[number];

export interface QueuedJob {
  readonly id: number;
  readonly task: string;
  readonly state: JobState;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly last_error: string | null;
  readonly run_at: Date;
  readonly created_at: Date;
  readonly locked_at: Date | null;
}

const state = sql<JobState>`case
  when jobs.locked_at is not null then 'running'
  when jobs.attempts >= jobs.max_attempts then 'failed'
  when jobs.run_at <= now() then 'ready'
  else 'delayed' end`;

const found = (wanted: JobState | null, id: number | null) => sql`
  select jobs.id, tasks.identifier as task, ${state} as state, jobs.attempts, jobs.max_attempts, jobs.last_error,
    jobs.run_at, jobs.created_at, jobs.locked_at
  from graphile_worker._private_jobs jobs
  join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
  where (${wanted}::text is null or ${state} = ${wanted}::text) and (${id}::bigint is null or jobs.id = ${id}::bigint)`;

export async function listJobs(
  db: Db,
  wanted: JobState | null,
  window: { readonly limit: number; readonly offset: number },
): Promise<QueuedJob[]> {
  const { rows } = await sql<QueuedJob>`${found(wanted, null)}
    order by jobs.id desc limit ${window.limit} offset ${window.offset}`.execute(db);
  return rows;
}

export async function findJob(db: Db, id: number): Promise<QueuedJob | undefined> {
  const { rows } = await sql<QueuedJob>`${found(null, id)}`.execute(db);
  return rows[0];
}

/** Counts up to `most` jobs of a state, or of all. */
export async function countJobs(db: Db, wanted: JobState | null, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${found(wanted, null)} limit ${most}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Puts a job that does not run back to its first attempt, now; whether there is one. */
export async function retryJob(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from graphile_worker.reschedule_jobs(array[${id}::bigint], run_at => now(), attempts => 0)`.execute(db);
  return rows.length > 0;
}

/** Removes a job that does not run; whether there was one. */
export async function removeJob(db: Db, id: number): Promise<boolean> {
  const { rows } = await sql`select from graphile_worker.complete_jobs(array[${id}::bigint])`.execute(db);
  return rows.length > 0;
}
