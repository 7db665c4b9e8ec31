/** External status checks as archives of projects hold them. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ExternalStatusChecksTable } from '../../../kernel/db/tables.ts';

export async function archivedChecksOf(db: Db, projectId: number): Promise<object[]> {
  const { rows } = await sql<object>`select c.name, c.external_url, c.created_at,
      array(select b.name from external_status_check_branches k join protected_branches b on b.id = k.protected_branch_id
        where k.check_id = c.id and b.project_id = c.project_id order by b.name) as protected_branches
    from external_status_checks c where c.project_id = ${projectId} order by c.id`.execute(db);
  return rows;
}

/** False where the name or address is taken. */
export async function insertArchivedCheck(
  tx: Db,
  row: Insertable<ExternalStatusChecksTable>,
  branches: readonly string[],
): Promise<boolean> {
  const made = await tx
    .insertInto('external_status_checks')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!made) return false;
  await sql`insert into external_status_check_branches (check_id, protected_branch_id)
    select ${made.id}, id from protected_branches
    where project_id = ${row.project_id} and name = any(${[...branches]}::text[])`.execute(tx);
  return true;
}
