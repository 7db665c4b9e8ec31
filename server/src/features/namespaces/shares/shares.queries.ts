/** Rows of `grants` that invite a group to another group or to a project. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Grant } from '../../../kernel/db/rows.ts';
import { grantHolds } from '../access/access.queries.ts';
import type { Place } from '../members/members.queries.ts';

const columnOf = (place: Place) => (place.kind === 'project' ? 'project_id' : 'namespace_id');

export async function findShare(db: Db, place: Place, groupId: number): Promise<Grant | undefined> {
  return await db
    .selectFrom('grants')
    .selectAll()
    .where('group_id', '=', groupId)
    .where(columnOf(place), '=', place.id)
    .where(grantHolds('grants'))
    .executeTakeFirst();
}

/** Undefined when the group is invited already. An invitation that has expired is replaced. */
export async function insertShare(
  tx: Db,
  place: Place,
  share: { groupId: number; level: number; expiresAt: string | null; createdById: number | null },
): Promise<Grant | undefined> {
  await tx
    .deleteFrom('grants')
    .where('group_id', '=', share.groupId)
    .where(columnOf(place), '=', place.id)
    .where('expires_at', '<=', sql<string>`current_date`)
    .execute();
  return await tx
    .insertInto('grants')
    .values({
      group_id: share.groupId,
      [columnOf(place)]: place.id,
      level: share.level,
      expires_at: share.expiresAt,
      created_by_id: share.createdById,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

/** False when somebody else has removed it meanwhile. */
export async function deleteShare(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('grants').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether one of the groups keeps its projects to itself. */
export async function shareLocked(db: Db, namespaceIds: readonly number[]): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', [...namespaceIds])
    .where('share_with_group_lock', '=', true)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether one of the groups lets in only groups of its tree. */
export async function keepsToItself(db: Db, namespaceIds: readonly number[]): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('id')
    .where('id', 'in', [...namespaceIds])
    .where('prevent_sharing_groups_outside_hierarchy', '=', true)
    .executeTakeFirst();
  return row !== undefined;
}
