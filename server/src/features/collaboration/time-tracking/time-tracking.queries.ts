/** Time entries, and the sums that issues, merge requests and epics keep of them. */
import { type RawBuilder, sql } from 'kysely';
import { type Db, insertMany } from '../../../kernel/db/index.ts';

const columns = { issues: 'issue_id', merge_requests: 'merge_request_id', epics: 'epic_id' } as const;
export type TimedTable = keyof typeof columns;

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
  /** Now where it is left out. */
  readonly spentAt?: Date | undefined;
}

/** Adds an entry, and its seconds to the sum. */
export async function addEntry(tx: Db, table: TimedTable, id: number, entry: NewEntry): Promise<void> {
  await insertEntries(tx, table, [{ id, entries: [entry] }]);
  await sql`update ${sql.table(table)} set time_spent = time_spent + ${entry.seconds}, updated_at = now()
    where id = ${id}`.execute(tx);
}

/** Gives things that are new entries from elsewhere; their sums are the caller's. */
export async function insertEntries(
  tx: Db,
  table: TimedTable,
  things: readonly { readonly id: number; readonly entries: readonly NewEntry[] }[],
): Promise<void> {
  const column = columns[table];
  const now = new Date();
  const values = things.flatMap(({ id, entries }) =>
    entries.map(({ userId: user_id, seconds, summary, spentAt }) => ({
      ...{ [column]: id, user_id, seconds, summary, spent_at: spentAt ?? now, created_at: now },
    })),
  );
  await insertMany(tx, 'time_entries', values);
}

/** Makes entries those of another user. */
export async function moveEntries(tx: Db, from: number, to: number): Promise<void> {
  await tx.updateTable('time_entries').set({ user_id: to }).where('user_id', '=', from).execute();
}

/** Gives a thing that is new the estimate and the entries of another one. */
export async function copyTimes(tx: Db, table: TimedTable, from: number, to: number): Promise<void> {
  const column = sql.ref(columns[table]);
  await sql`insert into time_entries (${column}, user_id, seconds, summary, spent_at, created_at)
    select ${to}::bigint, user_id, seconds, summary, spent_at, created_at from time_entries
    where ${column} = ${from} order by id`.execute(tx);
  await sql`update ${sql.table(table)} n set time_estimate = o.time_estimate, time_spent = o.time_spent
    from ${sql.table(table)} o where n.id = ${to} and o.id = ${from}`.execute(tx);
}

/** Entries `t` for which the condition holds, as archives hold them. */
export const timesJson = (condition: RawBuilder<unknown>) => sql<object[]>`coalesce((select jsonb_agg(
  jsonb_build_object('seconds', t.seconds, 'summary', t.summary, 'spent_at', t.spent_at,
    'by', (select username from users where id = t.user_id)) order by t.id)
  from time_entries t where ${condition}), '[]')`;
