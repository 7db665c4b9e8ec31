/** Whether a new membership takes part at once, or waits for a seat. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Place } from '../members/members.queries.ts';
import { countBillable } from './billable-members.queries.ts';

/**
 * `awaiting` where the top-level group has a limit of seats, all of them are taken, and the person has none. Additions to
 * one tree wait for each other, so that the last seat is given once.
 */
export async function seatState(tx: Db, place: Place, userId: number, level: number): Promise<'active' | 'awaiting'> {
  const [rootId] = place.namespaceIds;
  if (rootId === undefined || level <= Level.guest) return 'active';
  const { rows } = await sql<{ cap: number }>`
    select new_user_signups_cap as cap from namespaces where id = ${rootId} and new_user_signups_cap is not null
    for update`.execute(tx);
  const cap = rows[0]?.cap;
  if (cap === undefined || (await countBillable(tx, rootId, { userId })) > 0) return 'active';
  return (await countBillable(tx, rootId, {})) >= cap ? 'awaiting' : 'active';
}
