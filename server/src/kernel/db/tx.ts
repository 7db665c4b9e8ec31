/** Transactions, run again when PostgreSQL had to give one of two up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, stalePlan } from './pool.ts';

const attempts = 5;
/** Serialisation failure, deadlock, and a prepared statement that a migration made stale. */
const repeatable = new Set(['40001', '40P01', stalePlan]);

const isRepeatable = (error: unknown) => repeatable.has(String((error as { code?: unknown } | null)?.code));

/**
 * Runs `work` in a transaction; joins the one that `db` is already in. After a deadlock or serialisation failure it runs
 * again, up to five times: `work` must have no effects outside the database.
 */
export async function transaction<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return await work(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      if (attempt >= attempts || !isRepeatable(error)) throw error;
      await sleep(Math.random() * 10 * 2 ** attempt);
    }
  }
}
