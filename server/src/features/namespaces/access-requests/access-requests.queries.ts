/** Rows of `access_requests`, and who decides about them. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceRow } from '../../identity/index.ts';
import { grantHolds } from '../access/access.queries.ts';
import type { Place } from '../members/members.queries.ts';

const columnOf = (place: Place) => (place.kind === 'project' ? 'project_id' : 'namespace_id');

export interface RequesterRow extends ReferenceRow {
  readonly requested_at: Date;
  readonly email: string;
}

const requesters = (place: Place, userId: number | null) => sql`
  from access_requests r join users u on u.id = r.user_id and u.state = 'active'
  where ${sql.ref(`r.${columnOf(place)}`)} = ${place.id} and (${userId}::bigint is null or r.user_id = ${userId})`;

/** Those who ask, in their order; one of them where `userId` is given. */
export async function listRequesters(
  db: Db,
  place: Place,
  userId: number | null,
  window: { readonly limit: number; readonly offset: number },
): Promise<RequesterRow[]> {
  const { rows } = await sql<RequesterRow>`
    select u.id, u.username, u.name, u.state, u.public_email, u.locked_until, u.avatar_object_key, u.email,
      r.requested_at ${requesters(place, userId)}
    order by r.id limit ${window.limit} offset ${window.offset}`.execute(db);
  return rows;
}

export async function countRequesters(db: Db, place: Place): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 ${requesters(place, null)} limit 10001) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** False when the user has asked already. */
export async function insertRequest(tx: Db, place: Place, userId: number): Promise<boolean> {
  const row = await tx
    .insertInto('access_requests')
    .values({ user_id: userId, [columnOf(place)]: place.id })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteRequest(tx: Db, place: Place, userId: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('access_requests')
    .where('user_id', '=', userId)
    .where(columnOf(place), '=', place.id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whom a request is told by mail: at most ten who decide about it, owners first. */
export async function deciders(db: Db, place: Place): Promise<Array<{ name: string; email: string }>> {
  const lowest = place.kind === 'project' ? Level.maintainer : Level.owner;
  const here = place.kind === 'project' ? sql`g.project_id = ${place.id} or` : sql``;
  const { rows } = await sql<{ name: string; email: string }>`
    select u.name, u.email from grants g join users u on u.id = g.user_id
    where (${here} g.namespace_id = any(${[...place.namespaceIds]}::bigint[])) and g.level >= ${lowest}
      and ${grantHolds('g')} and u.state = 'active' and u.user_type = 'human' and u.confirmed_at is not null
    group by u.id order by max(g.level) desc, max(u.last_activity_on) desc nulls last, u.id limit 10`.execute(db);
  return rows;
}
