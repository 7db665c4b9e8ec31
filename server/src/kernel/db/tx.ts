/** Transactions, run again when PostgreSQL had to give one of two up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './pool.ts';
import { stalePlan } from './statements.ts';

const attempts = 5;
/** Serialisation failure, deadlock, and a prepared statement that a migration made stale. */
const repeatable = new Set(['40001', '40P01', stalePlan]);

const isRepeatable = (error: unknown) => repeatable.has(String((error as { code?: unknown } | null)?.code));

/** Writes what was gathered in a transaction, all at once. */
export type Gathered<T> = (tx: Db, items: readonly T[]) => Promise<void>;

/** What open transactions have gathered, by who writes it. */
const gatherings = new WeakMap<Db, Map<Gathered<never>, unknown[]>>();

/**
 * Has `items` written together with all others for `write`, in their order, as the last thing before the transaction
 * commits; at once where `db` is in none. Equal functions gather together.
 */
export async function beforeCommit<T>(db: Db, write: Gathered<T>, items: readonly T[]): Promise<void> {
  const gathering = gatherings.get(db);
  if (!gathering) return await write(db, items);
  const known = gathering.get(write);
  if (known) for (const item of items) known.push(item);
  else gathering.set(write, [...items]);
}

async function gathered<T>(tx: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  const gathering = new Map<Gathered<never>, unknown[]>();
  gatherings.set(tx, gathering);
  const result = await work(tx);
  gatherings.delete(tx);
  for (const [write, items] of gathering) await write(tx, items as never[]);
  return result;
}

/**
 * Runs `work` in a transaction; joins the one that `db` is already in. After a deadlock or serialisation failure it runs
 * again, up to five times: `work` must have no effects outside the database.
 */
export async function transaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return await work(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute((tx) => gathered(tx, work));
    } catch (error) {
      if (attempt >= attempts || !isRepeatable(error)) throw error;
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}

/**
 * A query within a statement whose transaction then does not wait for the disk when it commits: for what is written again
 * when a crash loses it. Commits keep their order: none outlives a crash that loses an earlier one.
 */
export const easedCommit = sql`select set_config('synchronous_commit', 'off', true)`;
