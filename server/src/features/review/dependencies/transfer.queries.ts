/** Dependencies between merge requests as archives of projects hold them. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequestDependenciesTable } from '../../../kernel/db/tables.ts';

/** Those within the project, by the numbers of the merge requests. */
export async function archivedDependenciesOf(db: Db, projectId: number): Promise<object[]> {
  const { rows } = await sql<object>`select b.iid as blocking, w.iid as blocked, d.created_at
    from merge_requests w join merge_request_dependencies d on d.blocked_id = w.id
      join merge_requests b on b.id = d.blocking_id and b.project_id = w.project_id
    where w.project_id = ${projectId} order by d.id`.execute(db);
  return rows;
}

/** False where it is there. */
export async function insertArchivedDependency(
  tx: Db,
  row: Insertable<MergeRequestDependenciesTable>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('merge_request_dependencies')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

export async function removeDependencies(tx: Db, projectId: number): Promise<void> {
  await sql`delete from merge_request_dependencies
    where blocked_id in (select id from merge_requests where project_id = ${projectId})`.execute(tx);
}
