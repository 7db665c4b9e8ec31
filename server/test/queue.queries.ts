/** What waits in the queue, for tests. */
import { sql } from 'kysely';
import type { Db } from '../src/kernel/db/index.ts';

/** The payloads of the waiting jobs whose payload holds the text. */
export async function queuedPayloads(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{ payload: string }>`
    select payload::text as payload from graphile_worker._private_jobs
    where attempts < max_attempts and payload::text like ${`%${text}%`}`.execute(db);
  return rows.map(({ payload }) => payload);
}

/** When the waiting job with the key runs; null when there is none. */
export async function queuedFor(db: Db, key: string): Promise<Date | null> {
  const { rows } = await sql<{ run_at: Date }>`
    select run_at from graphile_worker._private_jobs where key = ${key}`.execute(db);
  return rows[0]?.run_at ?? null;
}

/** The queue looks for work, as it does when some is added. */
const wakeQueue = (db: Db) => sql`select pg_notify('jobs:insert', '{"count": 1}')`.execute(db);

/** Lets everything that waits for its next attempt run now. */
export async function runWaiting(db: Db): Promise<void> {
  await sql`update graphile_worker._private_jobs set run_at = now() where run_at > now() and attempts > 0`.execute(db);
  await wakeQueue(db);
}

/** The time has come of what waits under the key. */
export async function runQueued(db: Db, key: string): Promise<void> {
  await sql`update graphile_worker._private_jobs set run_at = now() where key = ${key}`.execute(db);
  await wakeQueue(db);
}

/** A job whose attempts are used up. */
export async function failJob(db: Db, id: number, error: string): Promise<void> {
  await sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = ${error} where id = ${id}`.execute(
    db,
  );
}

/** Deletes all waiting jobs but the newest: a page of a list holds them. */
export async function keepNewestJobs(db: Db, count: number): Promise<void> {
  await sql`delete from graphile_worker._private_jobs where locked_at is null and id not in (
    select id from graphile_worker._private_jobs order by id desc limit ${count})`.execute(db);
}

/** How many jobs could run now; those that are tried again later are not among them. */
export async function runnableJobs(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from graphile_worker._private_jobs
    where run_at <= now() and attempts < max_attempts`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Puts all waiting jobs off, so that none of them ends while a list of them is read. */
export async function postponeJobs(db: Db): Promise<void> {
  await sql`update graphile_worker._private_jobs set run_at = now() + interval '1 day' where locked_at is null`.execute(
    db,
  );
}
