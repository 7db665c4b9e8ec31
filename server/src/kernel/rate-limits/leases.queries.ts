/** Rows of `rate_limit_windows`: what all processes took of a limit in a window. */
import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import type { Lease } from './counters.ts';

/** Leases a slice in one statement: the row's lock puts the processes in order, and its answer is this statement's own. */
export const leaseOver =
  (db: Db): Lease =>
  async ({ name, subject, endsAt, limit, used, slice }) => {
    const first = Math.max(0, Math.min(slice, limit - used));
    const granted = sql<number>`greatest(0, least(${slice}::bigint, ${limit}::bigint - rate_limit_windows.taken - ${used}::bigint))`;
    return await db
      .insertInto('rate_limit_windows')
      .values({ limit_name: name, subject, ends_at: endsAt, taken: used + first, granted: first })
      .onConflict((conflict) =>
        conflict.columns(['limit_name', 'subject', 'ends_at']).doUpdateSet({
          taken: sql<number>`rate_limit_windows.taken + ${used}::bigint + ${granted}`,
          granted,
        }),
      )
      .returning(['taken', 'granted'])
      .executeTakeFirstOrThrow();
  };

/** Removes windows that have ended; a minute later, for processes whose clock is behind. */
export async function deleteEndedWindows(db: Db): Promise<void> {
  await db.deleteFrom('rate_limit_windows').where('ends_at', '<', sql<Date>`now() - interval '1 minute'`).execute();
}
