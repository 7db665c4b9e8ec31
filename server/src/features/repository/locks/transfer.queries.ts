/** Locks of files and folders as archives of projects hold them. */
import type { Insertable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { PathLocksTable } from '../../../kernel/db/tables.ts';

export async function archivedLocksOf(db: Db, projectId: number): Promise<object[]> {
  return await db
    .selectFrom('path_locks as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .select(['l.path', 'u.username', 'l.lfs', 'l.created_at'])
    .where('l.project_id', '=', projectId)
    .orderBy('l.id')
    .execute();
}

/** False where the path is locked. */
export async function insertArchivedLock(tx: Db, row: Insertable<PathLocksTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('path_locks')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}
