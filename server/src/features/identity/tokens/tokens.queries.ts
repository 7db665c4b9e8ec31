/** Rows of `access_tokens`. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { AccessToken } from '../../../kernel/db/rows.ts';
import type { AccessTokensTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export async function insertToken(db: Db, token: Insertable<AccessTokensTable>): Promise<AccessToken> {
  return await db.insertInto('access_tokens').values(token).returningAll().executeTakeFirstOrThrow();
}

export async function findToken(db: Db, id: number): Promise<AccessToken | undefined> {
  return await db.selectFrom('access_tokens').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Revokes once; a second time changes nothing. */
export async function revokeToken(db: Db, id: number): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ revoked_at: sql`now()` })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
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
  let query = db.selectFrom('access_tokens').where('kind', '=', 'personal');
  if (filter.user_id !== undefined) query = query.where('user_id', '=', filter.user_id);
  if (filter.revoked !== undefined) query = query.where('revoked_at', filter.revoked ? 'is not' : 'is', null);
  if (filter.state !== undefined)
    query = query.where(filter.state === 'active' ? activeToken : sql<boolean>`not ${activeToken}`);
  if (filter.search) query = query.where('name', 'ilike', `%${filter.search.replace(/[\\%_]/g, '\\$&')}%`);
  if (filter.created_after) query = query.where('created_at', '>=', filter.created_after);
  if (filter.created_before) query = query.where('created_at', '<=', filter.created_before);
  if (filter.last_used_after) query = query.where('last_used_at', '>=', filter.last_used_after);
  if (filter.last_used_before) query = query.where('last_used_at', '<=', filter.last_used_before);
  if (filter.expires_after) query = query.where('expires_at', '>=', filter.expires_after);
  if (filter.expires_before) query = query.where('expires_at', '<=', filter.expires_before);
  return query;
}

/** Personal access tokens, oldest first unless sorted. */
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
    query = query.orderBy(column, (order) =>
      direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsLast(),
    );
  }
  return await query.orderBy('id', direction).limit(window.limit).offset(window.offset).execute();
}

/** How many match, counted up to one more than is ever told. */
export const countTokens = (db: Db, filter: TokenFilter): Promise<number> =>
  countUpTo(db, filtered(db, filter).select('id'));
