/** Rows of `access_tokens`. */
import { type Insertable, sql } from 'kysely';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { AccessToken } from '../../../kernel/db/rows.ts';
import type { AccessTokensTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function insertToken(db: Db, token: Insertable<AccessTokensTable>): Promise<AccessToken> {
  return await db.insertInto('access_tokens').values(token).returningAll().executeTakeFirstOrThrow();
}

export async function findToken(db: Db, id: number): Promise<AccessToken | undefined> {
  return await db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The token with this hash, whatever its state. */
export async function findTokenBySecret(db: Db, tokenSha256: Buffer): Promise<AccessToken | undefined> {
  return await db.selectFrom('access_tokens').selectAll().where('token_sha256', '=', tokenSha256).executeTakeFirst();
}

/** The token as it is now; concurrent changes of it wait for this transaction. */
export async function lockToken(tx: Db, id: number): Promise<AccessToken | undefined> {
  return await tx.selectFrom('access_tokens').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Revokes tokens that are not; answers which were. */
export async function revokeTokens(tx: Db, ids: readonly number[]): Promise<number[]> {
  const rows = await tx
    .updateTable('access_tokens')
    .set({ revoked_at: sql`now()` })
    .where('id', 'in', [...ids])
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Ids of the tokens that were rotated into each other, this one's among them. */
export async function familyOf(tx: Db, token: Pick<AccessToken, 'id' | 'family_id'>): Promise<number[]> {
  const family = token.family_id ?? token.id;
  const rows = await tx
    .selectFrom('access_tokens')
    .select('id')
    .where((where) => where.or([where('id', '=', family), where('family_id', '=', family)]))
    .execute();
  return rows.map((row) => row.id);
}

export interface TokenEntity {
  readonly type: 'User' | 'Project' | 'Group';
  readonly id: number;
  readonly path: string;
}

/** What a token belongs to, as audit events name it. */
export async function entityOfToken(db: Db, token: AccessToken): Promise<TokenEntity> {
  if (token.project_id !== null) {
    const row = await db
      .selectFrom('projects')
      .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
      .select(['namespaces.full_path', 'projects.path'])
      .where('projects.id', '=', token.project_id)
      .executeTakeFirst();
    return { type: 'Project', id: token.project_id, path: row ? `${row.full_path}/${row.path}` : '' };
  }
  if (token.namespace_id !== null) {
    const row = await db
      .selectFrom('namespaces')
      .select('full_path')
      .where('id', '=', token.namespace_id)
      .executeTakeFirst();
    return { type: 'Group', id: token.namespace_id, path: row?.full_path ?? '' };
  }
  const row = await db.selectFrom('users').select('username').where('id', '=', token.user_id).executeTakeFirst();
  return { type: 'User', id: token.user_id, path: row?.username ?? '' };
}

const usable = sql<boolean>`(t.revoked_at is null and (t.expires_at is null or t.expires_at > (now() at time zone 'utc')::date))`;

/**
 * Deactivates bots that have no usable token of their place left, of those given or of all; answers which. What else was
 * made for a bot ends with it.
 */
export async function retireBots(tx: Db, ids: readonly number[] | null): Promise<number[]> {
  const which = ids === null ? sql`true` : sql`u.id = any(${[...ids]}::bigint[])`;
  const { rows } = await sql<{ id: number }>`
    update users u set state = 'deactivated', updated_at = now()
    where u.user_type in ('project_bot', 'group_bot') and u.state = 'active' and ${which}
      and not exists (select 1 from access_tokens t
        where t.user_id = u.id and t.kind in ('project', 'group') and ${usable})
    returning u.id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Bots of which no token is left. */
export async function botsWithoutTokens(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select u.id from users u
    where u.user_type in ('project_bot', 'group_bot') and u.state = 'deactivated' and u.deletion_requested_at is null
      and not exists (select 1 from access_tokens t where t.user_id = u.id)
    order by u.id limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

/** Removes tokens of projects and groups that ended before that day. */
export async function deleteEndedTokens(db: Db, days: number): Promise<void> {
  await sql`
    delete from access_tokens t where t.kind in ('project', 'group')
      and least(t.revoked_at, t.expires_at::timestamptz) < now() - make_interval(days => ${days})`.execute(db);
}

/** Notes that these tokens were used, at most once a minute each. */
export async function touchTokens(db: Db, ids: readonly number[]): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ last_used_at: sql`now()` })
    .where('id', 'in', [...ids])
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<', sql<Date>`now() - interval '1 minute'`)]),
    )
    .execute();
}

export interface TokenFilter {
  readonly kinds: ReadonlyArray<AccessToken['kind']>;
  readonly project_id?: number | undefined;
  readonly namespace_id?: number | undefined;
  readonly user_id?: number | undefined;
  readonly revoked?: boolean | undefined;
  readonly state?: 'active' | 'inactive' | undefined;
  readonly search?: string | undefined;
  readonly created_after?: Date | undefined;
  readonly created_before?: Date | undefined;
  readonly last_used_after?: Date | undefined;
  readonly last_used_before?: Date | undefined;
  readonly expires_after?: string | undefined;
  readonly expires_before?: string | undefined;
}

export const tokenSorts = [
  'created_asc',
  'created_desc',
  'expires_asc',
  'expires_desc',
  'last_used_asc',
  'last_used_desc',
  'name_asc',
  'name_desc',
] as const;
export type TokenSort = (typeof tokenSorts)[number];

const sortColumns = {
  created: 'created_at',
  expires: 'expires_at',
  last_used: 'last_used_at',
  name: 'name',
} as const;

const activeToken = sql<boolean>`(revoked_at is null and (expires_at is null or expires_at > (now() at time zone 'utc')::date))`;

function filtered(db: Db, filter: TokenFilter) {
  let query = db.selectFrom('access_tokens').where('kind', 'in', [...filter.kinds]);
  if (filter.project_id !== undefined) query = query.where('project_id', '=', filter.project_id);
  if (filter.namespace_id !== undefined) query = query.where('namespace_id', '=', filter.namespace_id);
  if (filter.user_id !== undefined) query = query.where('user_id', '=', filter.user_id);
  if (filter.revoked !== undefined) query = query.where('revoked_at', filter.revoked ? 'is not' : 'is', null);
  if (filter.state !== undefined)
    query = query.where(filter.state === 'active' ? activeToken : sql<boolean>`not ${activeToken}`);
  if (filter.search) query = query.where('name', 'ilike', containing(filter.search));
  if (filter.created_after) query = query.where('created_at', '>=', filter.created_after);
  if (filter.created_before) query = query.where('created_at', '<=', filter.created_before);
  if (filter.last_used_after) query = query.where('last_used_at', '>=', filter.last_used_after);
  if (filter.last_used_before) query = query.where('last_used_at', '<=', filter.last_used_before);
  if (filter.expires_after) query = query.where('expires_at', '>=', filter.expires_after);
  if (filter.expires_before) query = query.where('expires_at', '<=', filter.expires_before);
  return query;
}

/** Tokens, oldest first unless sorted. */
export async function listTokens(
  db: Db,
  filter: TokenFilter,
  sort: TokenSort | undefined,
  window: { readonly limit: number; readonly offset: number },
): Promise<AccessToken[]> {
  let query = filtered(db, filter).selectAll();
  const direction = sort?.endsWith('_desc') ? 'desc' : 'asc';
  if (sort) {
    const column = sortColumns[sort.slice(0, sort.lastIndexOf('_')) as keyof typeof sortColumns];
    // Tokens that never expire or were never used come last, both ways.
    const nullable = column === 'expires_at' || column === 'last_used_at';
    query = query.orderBy(column, (order) => {
      const directed = direction === 'desc' ? order.desc() : order.asc();
      return nullable ? directed.nullsLast() : directed;
    });
  }
  return await query.orderBy('id', direction).limit(window.limit).offset(window.offset).execute();
}

/** How many match, counted up to one more than is ever told. */
export const countTokens = (db: Db, filter: TokenFilter): Promise<number> =>
  countUpTo(db, filtered(db, filter).select('id'));

/**
 * Whether the group that a service account belongs to, or the one at the top of its project, wants its tokens to end; null
 * for accounts that belong to no group.
 */
export async function groupWantsEnd(db: Db, userId: number): Promise<boolean | null> {
  const { rows } = await sql<{ enforced: boolean }>`
    select top.service_access_tokens_expiration_enforced as enforced
    from service_account_places place
    left join projects p on p.id = place.project_id
    join namespaces n on n.id = coalesce(place.namespace_id, p.namespace_id)
    join namespaces top on top.id = n.traversal_ids[1] and top.kind = 'group'
    where place.user_id = ${userId}`.execute(db);
  return rows[0]?.enforced ?? null;
}
