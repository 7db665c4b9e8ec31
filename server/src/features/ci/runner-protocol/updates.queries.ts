/** Signs of life of running jobs. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The runner is still there. */
export async function touchJob(db: Db, id: number): Promise<void> {
  await db.updateTable('jobs').set({ contacted_at: sql<Date>`now()` }).where('id', '=', id).execute();
}

/** The job runs with debug logging: its log holds what others must not read. */
export async function markDebugTrace(db: Db, id: number): Promise<void> {
  await db.updateTable('jobs').set({ debug_trace: true }).where('id', '=', id).execute();
}
