/** Forks in `projects`: where a copy stands. */
import { sql } from 'kysely';
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
export async function setForkedFrom(tx: Db, id: number, sourceId: number): Promise<void> {
  await tx.updateTable('projects').set({ forked_from_project_id: sourceId }).where('id', '=', id).execute();
}

/** Forgets the source; false when it is another one by now. */
export async function clearForkedFrom(tx: Db, id: number, sourceId: number): Promise<boolean> {
  const row = await tx
    .updateTable('projects')
    .set({ forked_from_project_id: null })
    .where('id', '=', id)
    .where('forked_from_project_id', '=', sourceId)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether what is in the groups may be copied to the namespace: one of them may keep forks within its top-level group. */
export async function mayForkTo(db: Db, from: readonly number[], namespaceId: number): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean; inside: boolean }>`
    select coalesce(bool_or(n.prevent_forking_outside_group), false) as kept,
      coalesce((select t.traversal_ids[1] = ${from[0] ?? 0} from namespaces t where t.id = ${namespaceId}), false) as inside
    from namespaces n where n.id = any(${[...from]}::bigint[])`.execute(db);
  return !rows[0]?.kept || rows[0].inside;
}
