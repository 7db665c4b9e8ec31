/** What other tables tell of users, for whole pages of them at once. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { AccountRow } from './users.entity.ts';
import { findReferences } from './users.queries.ts';

/** Followers and followed people by user. */
export async function followCounts(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, { followers: number; following: number }>> {
  const { rows } = await sql<{ id: number; followers: number; following: number }>`
    select u.id,
      (select count(*)::int from user_follows f join users o on o.id = f.follower_id
        where f.followee_id = u.id and o.state = 'active') as followers,
      (select count(*)::int from user_follows f join users o on o.id = f.followee_id
        where f.follower_id = u.id and o.state = 'active') as following
    from unnest(${[...ids]}::bigint[]) as u (id)`.execute(db);
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
}

/** Adds namespace, creator, identities and followers. */
export async function withAccounts(db: Db, users: readonly User[]): Promise<AccountRow[]> {
  if (users.length === 0) return [];
  const ids = users.map((user) => user.id);
  const [spaces, identities, counts, creators] = await Promise.all([
    db
      .selectFrom('namespaces')
      .select(['id', 'owner_id'])
      .where('kind', '=', 'user')
      .where('owner_id', 'in', ids)
      .execute(),
    db
      .selectFrom('identities')
      .select(['user_id', 'provider', 'extern_uid', 'saml_provider_id'])
      .where('user_id', 'in', ids)
      .orderBy('id')
      .execute(),
    followCounts(db, ids),
    findReferences(
      db,
      users.flatMap((user) => user.created_by_id ?? []),
    ),
  ]);
  const space = new Map(spaces.map((row) => [row.owner_id, row.id]));
  return users.map((user) => ({
    ...user,
    namespace_id: space.get(user.id) ?? null,
    created_by: creators.get(user.created_by_id ?? 0) ?? null,
    identities: identities.filter((row) => row.user_id === user.id),
    followers: counts.get(user.id)?.followers ?? 0,
    following: counts.get(user.id)?.following ?? 0,
  }));
}

export async function withAccount(db: Db, user: User): Promise<AccountRow> {
  const [account] = await withAccounts(db, [user]);
  if (!account) throw new Error('no account for a user');
  return account;
}

/** The highest level that a user was given anywhere, themselves or through a group that was invited. */
export async function highestRole(db: Db, userId: number): Promise<number> {
  const { rows } = await sql<{ level: number }>`
    select coalesce(max(level), 0)::int as level from grants
    where user_id = ${userId} and (expires_at is null or expires_at > (now() at time zone 'utc')::date)
      and not exists (select from namespaces n where n.id = grants.namespace_id and n.kind = 'user')`.execute(db);
  return rows[0]?.level ?? 0;
}

/** Custom attributes by user, by key. */
export async function customAttributesOf(
  db: Db,
  ids: readonly number[],
): Promise<Map<number, { key: string; value: string }[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('user_custom_attributes')
    .selectAll()
    .where('user_id', 'in', [...ids])
    .orderBy('key')
    .execute();
  const found = new Map<number, { key: string; value: string }[]>(ids.map((id) => [id, []]));
  for (const { user_id, key, value } of rows) found.get(user_id)?.push({ key, value });
  return found;
}

export async function isFollowed(db: Db, followerId: number, followeeId: number): Promise<boolean> {
  const row = await db
    .selectFrom('user_follows')
    .select('followee_id')
    .where('follower_id', '=', followerId)
    .where('followee_id', '=', followeeId)
    .executeTakeFirst();
  return row !== undefined;
}
