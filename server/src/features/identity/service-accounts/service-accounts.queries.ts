/** Service accounts, and where they belong. */
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

/** Where a service account belongs. */
export interface ServiceAccountPlace {
  readonly kind: 'instance' | 'group' | 'project';
  /** Of the group or project. */
  readonly id: number | null;
}

/** Those that are being removed are no longer there. */
function placed(db: Db, { kind, id }: ServiceAccountPlace) {
  const query = db
    .selectFrom('users')
    .leftJoin('service_account_places as place', 'place.user_id', 'users.id')
    .where('users.user_type', '=', 'service_account')
    .where('users.deletion_requested_at', 'is', null);
  if (kind === 'instance') return query.where('place.user_id', 'is', null);
  return query.where(kind === 'group' ? 'place.namespace_id' : 'place.project_id', '=', id);
}

export async function listServiceAccounts(
  db: Db,
  place: ServiceAccountPlace,
  order: { readonly by: 'id' | 'username'; readonly direction: 'asc' | 'desc' },
  window: { readonly limit: number; readonly offset: number },
): Promise<User[]> {
  return await placed(db, place)
    .selectAll('users')
    .orderBy(`users.${order.by}`, order.direction)
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

/** How many there are, counted up to one more than is ever told. */
export const countServiceAccounts = (db: Db, place: ServiceAccountPlace): Promise<number> =>
  countUpTo(db, placed(db, place).select('users.id'));

export async function findServiceAccount(db: Db, place: ServiceAccountPlace, id: number): Promise<User | undefined> {
  return await placed(db, place).selectAll('users').where('users.id', '=', id).executeTakeFirst();
}

export async function placeServiceAccount(tx: Db, userId: number, { kind, id }: ServiceAccountPlace): Promise<void> {
  if (kind === 'instance') return;
  await tx
    .insertInto('service_account_places')
    .values({ user_id: userId, namespace_id: kind === 'group' ? id : null, project_id: kind === 'project' ? id : null })
    .execute();
}

/** Those whose group or project is gone, and whose removal nobody has asked for yet. */
export async function homelessServiceAccounts(db: Db, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('service_account_places as place')
    .innerJoin('users', 'users.id', 'place.user_id')
    .select('place.user_id')
    .where('place.namespace_id', 'is', null)
    .where('place.project_id', 'is', null)
    .where('users.deletion_requested_at', 'is', null)
    .orderBy('place.user_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.user_id);
}
