/** Resource groups as archives of projects hold them. */
import type { Db } from '../../../kernel/db/index.ts';
import type { ResourceGroup } from '../../../kernel/db/rows.ts';

type Line = Pick<ResourceGroup, 'key' | 'process_mode'>;

export async function groupsOf(db: Db, projectId: number): Promise<Line[]> {
  const query = db.selectFrom('resource_groups').select(['key', 'process_mode']);
  return await query.where('project_id', '=', projectId).orderBy('id').execute();
}

/** False where it is there. */
export async function insertArchivedGroup(tx: Db, row: Line & { readonly project_id: number }): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('resource_groups')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}
