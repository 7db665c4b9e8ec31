/** When repositories were maintained last. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Notes that the repository was maintained as it was at this generation of its refs. */
export async function recordMaintenance(db: Db, projectId: number, generation: number, full: boolean): Promise<void> {
  const now = new Date();
  await db
    .updateTable('projects')
    .set({ maintained_generation: generation, maintained_at: now, ...(full ? { repacked_at: now } : {}) })
    .where('id', '=', projectId)
    .execute();
}

/** Projects that were written since their last maintenance, which was not today; the longest ago first. */
export async function toMaintain(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .whereRef('refs_generation', '<>', 'maintained_generation')
    .where('maintained_at', '<', sql<Date>`now() - interval '20 hours'`)
    .orderBy('maintained_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
