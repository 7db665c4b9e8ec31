/** Forks in `projects`: where a copy stands. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';

/** How far the copy is; `error` in words where it failed. */
export async function setImport(
  db: Db,
  id: number,
  status: Project['import_status'],
  error: string | null = null,
): Promise<void> {
  await db.updateTable('projects').set({ import_status: status, import_error: error }).where('id', '=', id).execute();
}

/** Says where a project was forked from, or that it was not; the counts follow by themselves. */
export async function setForkedFrom(tx: Db, id: number, sourceId: number | null): Promise<void> {
  await tx.updateTable('projects').set({ forked_from_project_id: sourceId }).where('id', '=', id).execute();
}
