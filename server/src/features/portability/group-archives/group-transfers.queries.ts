/** Rows of exports of groups, and of groups that come from archives. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { GroupExportsTable, GroupImportsTable } from '../../../kernel/db/tables.ts';
import { below } from '../../namespaces/index.ts';

export type GroupExportRow = Selectable<GroupExportsTable>;
export type GroupImportRow = Selectable<GroupImportsTable>;

export async function findGroupExport(db: Db, groupId: number): Promise<GroupExportRow | undefined> {
  return await db.selectFrom('group_exports').selectAll().where('namespace_id', '=', groupId).executeTakeFirst();
}

/** What was exported before stays until the new archive is there. */
export async function queueGroupExport(tx: Db, groupId: number, userId: number | null): Promise<void> {
  const columns = { user_id: userId, state: 'queued' as const, error: null };
  await tx
    .insertInto('group_exports')
    .values({ namespace_id: groupId, ...columns })
    .onConflict((conflict) => conflict.column('namespace_id').doUpdateSet({ ...columns, created_at: sql`now()` }))
    .execute();
}

export async function setGroupExport(
  db: Db,
  groupId: number,
  changes: Partial<Pick<GroupExportRow, 'state' | 'error' | 'object_key' | 'size' | 'finished_at'>>,
): Promise<void> {
  await db.updateTable('group_exports').set(changes).where('namespace_id', '=', groupId).execute();
}

/** Archives that nobody fetched in time are given up with their rows. */
export async function forgetGroupExports(db: Db, hours: number): Promise<void> {
  await sql`delete from group_exports where state in ('finished', 'failed')
    and coalesce(finished_at, created_at) < now() - make_interval(hours => ${hours}::int)`.execute(db);
}

/** A group and all below it, those above before those below; what is marked for removal stays behind. */
export async function groupsWithin(db: Db, groupId: number): Promise<Namespace[]> {
  return await db
    .selectFrom('namespaces')
    .selectAll()
    .where('kind', '=', 'group')
    .where(sql<boolean>`id in ${below(groupId)}`)
    .where(sql<boolean>`(id = ${groupId} or not exists (select from namespaces a
      where a.id = any(namespaces.traversal_ids) and a.marked_for_deletion_on is not null))`)
    .orderBy(sql`cardinality(traversal_ids)`)
    .orderBy('id')
    .execute();
}

export async function findGroupImport(db: Db, groupId: number): Promise<GroupImportRow | undefined> {
  return await db.selectFrom('group_imports').selectAll().where('namespace_id', '=', groupId).executeTakeFirst();
}

export async function insertGroupImport(
  tx: Db,
  row: Pick<GroupImportRow, 'namespace_id' | 'user_id' | 'trusted' | 'object_key'>,
): Promise<void> {
  await tx.insertInto('group_imports').values(row).execute();
}

export async function setGroupImport(
  tx: Db,
  groupId: number,
  changes: Partial<Pick<GroupImportRow, 'state' | 'error' | 'object_key' | 'finished_at'>> & {
    readonly stats?: string;
    readonly failures?: string;
  },
): Promise<void> {
  await tx.updateTable('group_imports').set(changes).where('namespace_id', '=', groupId).execute();
}
