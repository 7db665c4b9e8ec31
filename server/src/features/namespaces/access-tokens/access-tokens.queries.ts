/** Grants of the bots behind access tokens of projects and groups. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Place } from '../members/members.queries.ts';

const columnOf = (place: Place) => (place.kind === 'project' ? 'project_id' : 'namespace_id');

/** The bots' roles on the place, by user id. */
export async function botLevels(db: Db, place: Place, userIds: readonly number[]): Promise<Map<number, number>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('grants')
    .select(['user_id', 'level'])
    .where('user_id', 'in', [...new Set(userIds)])
    .where(columnOf(place), '=', place.id)
    .execute();
  return new Map(rows.flatMap((row) => (row.user_id === null ? [] : [[row.user_id, row.level]])));
}

/** Takes every membership away. */
export async function removeGrantsOf(tx: Db, userIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('grants')
    .where('user_id', 'in', [...userIds])
    .execute();
}

/** A membership lasts as long as the token. */
export async function extendGrant(tx: Db, place: Place, userId: number, expiresAt: string | null): Promise<void> {
  await tx
    .updateTable('grants')
    .set({ expires_at: expiresAt })
    .where('user_id', '=', userId)
    .where(columnOf(place), '=', place.id)
    .execute();
}
