/** Time entries, and the sums that issues and merge requests keep of them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export type TimedTable = 'issues' | 'merge_requests';

export interface TimeColumns {
  readonly time_estimate: number;
  readonly time_spent: number;
}

export async function timesOf(db: Db, table: TimedTable, id: number): Promise<TimeColumns | undefined> {
  const { rows } = await sql<TimeColumns>`select time_estimate, time_spent from ${sql.table(table)}
    where id = ${id}`.execute(db);
  return rows[0];
}

/** What is kept now, locked until the transaction ends. */
export async function lockTimes(tx: Db, table: TimedTable, id: number): Promise<TimeColumns | undefined> {
  const { rows } = await sql<TimeColumns>`select time_estimate, time_spent from ${sql.table(table)}
    where id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function setEstimate(tx: Db, table: TimedTable, id: number, seconds: number): Promise<void> {
  await sql`update ${sql.table(table)} set time_estimate = ${seconds}, updated_at = now() where id = ${id}`.execute(tx);
}

export interface NewEntry {
  readonly userId: number;
  readonly seconds: number;
  readonly summary: string | null;
}

/** Adds an entry, and its seconds to the sum. */
export async function addEntry(tx: Db, table: TimedTable, id: number, entry: NewEntry): Promise<void> {
  const column = table === 'issues' ? 'issue_id' : 'merge_request_id';
  await tx
    .insertInto('time_entries')
    .values({ [column]: id, user_id: entry.userId, seconds: entry.seconds, summary: entry.summary })
    .execute();
  await sql`update ${sql.table(table)} set time_spent = time_spent + ${entry.seconds}, updated_at = now()
    where id = ${id}`.execute(tx);
}
