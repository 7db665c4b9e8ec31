/** What other tables tell of users, for whole pages of them at once. */
import { CompiledQuery, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { AccountRow, ReferenceRow } from './users.entity.ts';
import { referenceColumns } from './users.queries.ts';

/** Text of a subquery: how many active users follow the user `u`, or are followed. */
const activeFollows = (mine: string, other: string) => `(select count(*)::int from user_follows f
    join users o on o.id = f.${other} where f.${mine} = u.id and o.state = 'active')`;
const followers = activeFollows('followee_id', 'follower_id');
const following = activeFollows('follower_id', 'followee_id');

/** How many follow the user, and how many they follow. */
export async function followCounts(db: Db, id: number): Promise<{ followers: number; following: number }> {
  const { rows } = await sql<{ followers: number; following: number }>`
    select ${sql.raw(followers)} as followers, ${sql.raw(following)} as following
    from (values (${id}::bigint)) as u (id)`.execute(db);
  return rows[0] ?? { followers: 0, following: 0 };
}

const accountsFrom = (source: string) => `select u.id,
    (select n.id from namespaces n where n.owner_id = u.id and n.kind = 'user') as namespace_id,
    (select json_agg(json_build_object('provider', i.provider, 'extern_uid', i.extern_uid,
        'saml_provider_id', i.saml_provider_id) order by i.id) from identities i where i.user_id = u.id) as identities,
    ${followers} as followers,
    ${following} as following,
    (select json_build_object(${referenceColumns.map((column) => `'${column}', c.${column}`).join(', ')})
      from users c where c.id = u.created_by_id) as created_by
  from ${source} as u (id, created_by_id)`;
/** One user is most often asked for. The planner plans for lists each time, which takes longer than the read. */
const accountText = accountsFrom('(values ($1::bigint, $2::bigint))');
const accountsText = accountsFrom('unnest($1::bigint[], $2::bigint[])');

interface Around {
  readonly id: number;
  readonly namespace_id: number | null;
  readonly identities: AccountRow['identities'] | null;
  readonly followers: number;
  readonly following: number;
  readonly created_by: (Omit<ReferenceRow, 'locked_until'> & { readonly locked_until: string | null }) | null;
}

/** Adds namespace, creator, identities and followers: one indexed read, compiled once, because every client asks who it is. */
export async function withAccounts(db: Db, users: readonly User[]): Promise<AccountRow[]> {
  const [first] = users;
  if (!first) return [];
  const query =
    users.length === 1
      ? CompiledQuery.raw(accountText, [first.id, first.created_by_id])
      : CompiledQuery.raw(accountsText, [users.map(({ id }) => id), users.map((user) => user.created_by_id)]);
  const { rows } = await db.executeQuery(query as CompiledQuery<Around>);
  const around = new Map(rows.map((row) => [row.id, row]));
  return users.map((user) => {
    const row = around.get(user.id);
    if (!row) throw new Error('no account for a user');
    const { namespace_id, identities, followers, following, created_by } = row;
    const locked = created_by?.locked_until ?? null;
    return {
      ...user,
      namespace_id,
      identities: identities ?? [],
      followers,
      following,
      created_by: created_by && { ...created_by, locked_until: locked === null ? null : new Date(locked) },
    };
  });
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
