/** How much the queue has to do, and how much it has done, over all processes. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';

export interface QueueMeasures {
  /** Due, and not taken by anybody yet. */
  readonly backlog: number;
  /** Seconds since the oldest of them was due. */
  readonly latency: number;
  readonly running: number;
  /** Due or to come. */
  readonly enqueued: number;
  /** Of those in the queue, such as have failed and will be tried again. */
  readonly failed: number;
  /** Failed for good. */
  readonly dead: number;
  /** Those that have left the queue, as the database counts them. */
  readonly processed: number;
}

export async function queueMeasures(handle: Db): Promise<QueueMeasures> {
  const due = sql`jobs.locked_at is null and jobs.attempts < jobs.max_attempts and jobs.run_at <= now()`;
  const { rows } = await sql<QueueMeasures>`
    select count(*) filter (where ${due})::int as backlog,
      coalesce(floor(extract(epoch from now() - min(jobs.run_at) filter (where ${due}))), 0)::int as latency,
      count(*) filter (where jobs.locked_at is not null)::int as running,
      count(*) filter (where jobs.attempts < jobs.max_attempts)::int as enqueued,
      count(*) filter (where jobs.attempts < jobs.max_attempts and jobs.last_error is not null)::int as failed,
      count(*) filter (where jobs.attempts >= jobs.max_attempts and jobs.locked_at is null)::int as dead,
      (select coalesce(sum(n_tup_del), 0)::int8 from pg_stat_all_tables
        where schemaname = 'graphile_worker' and relname = '_private_jobs') as processed
    from graphile_worker._private_jobs jobs`.execute(handle);
  const [measures] = rows;
  if (!measures) throw new Error('the queue has no measures');
  return measures;
}
