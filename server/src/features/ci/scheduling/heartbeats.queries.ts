/** When runners were last heard about their jobs, and when the instance looked. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { continueWatch, type RunnerWatch } from './heartbeats.ts';
import type { JobPlace } from './sweep.queries.ts';

/** Stores that somebody looks now, and returns since when that has been so without a pause; `anew` begins one. Inside a transaction. */
export async function keepWatch(tx: Db, anew: boolean): Promise<{ watch: RunnerWatch; now: Date }> {
  const known = await tx.selectFrom('runner_watch').select(['since', 'seen_at']).forUpdate().executeTakeFirst();
  const { now } = await tx.selectNoFrom(sql<Date>`now()`.as('now')).executeTakeFirstOrThrow();
  const before = known && !anew ? { since: known.since, seenAt: known.seen_at } : null;
  const watch = continueWatch(before, now);
  const values = { since: watch.since, seen_at: watch.seenAt };
  await tx
    .insertInto('runner_watch')
    .values(values)
    .onConflict((conflict) => conflict.column('only_row').doUpdateSet(values))
    .execute();
  return { watch, now };
}

/** Jobs with a runner, those that were heard of longest ago first. */
export async function executingJobs(db: Db): Promise<Array<JobPlace & { readonly contactedAt: Date }>> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'pipeline_id', 'contacted_at'])
    .where('status', 'in', ['running', 'canceling'])
    .where('contacted_at', 'is not', null)
    .orderBy('contacted_at')
    .limit(500)
    .$narrowType<{ contacted_at: Date }>()
    .execute();
  return rows.map((row) => ({ jobId: row.id, pipelineId: row.pipeline_id, contactedAt: row.contacted_at }));
}
