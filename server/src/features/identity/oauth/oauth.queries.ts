/** Rows of what people let applications do: authorizations, codes, tokens, devices. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { OauthAuthorization, OauthCode, OauthDeviceCode, OauthToken, User } from '../../../kernel/db/rows.ts';
import type { OauthAuthorizationsTable, OauthCodesTable, OauthDeviceCodesTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

export async function insertAuthorization(
  tx: Db,
  values: Insertable<OauthAuthorizationsTable>,
): Promise<OauthAuthorization> {
  return await tx.insertInto('oauth_authorizations').values(values).returningAll().executeTakeFirstOrThrow();
}

/** The authorization as it is now; concurrent changes of it wait for this transaction. */
export async function lockAuthorization(tx: Db, id: number): Promise<OauthAuthorization | undefined> {
  return await tx.selectFrom('oauth_authorizations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Ends authorizations with all their tokens; answers which were not ended before. */
export async function endAuthorizations(tx: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await tx
    .updateTable('oauth_authorizations')
    .set({ revoked_at: sql`now()` })
    .where('id', 'in', [...ids])
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  await tx
    .updateTable('oauth_tokens')
    .set({ revoked_at: sql`now()` })
    .where('authorization_id', 'in', [...ids])
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map((row) => row.id);
}

type NewCode = Omit<Insertable<OauthCodesTable>, 'expires_at' | 'used_at'>;

export async function insertCode(tx: Db, code: NewCode, lifetimeSeconds: number): Promise<void> {
  await tx
    .insertInto('oauth_codes')
    .values({ ...code, expires_at: inSeconds(lifetimeSeconds) })
    .execute();
}

export type FoundCode = OauthCode & { readonly expired: boolean };

/** The code as it is now: who comes second waits, and finds it used. */
export async function lockCode(tx: Db, codeSha256: Buffer): Promise<FoundCode | undefined> {
  return await tx
    .selectFrom('oauth_codes')
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as('expired'))
    .where('code_sha256', '=', codeSha256)
    .forUpdate()
    .executeTakeFirst();
}

export async function useCode(tx: Db, codeSha256: Buffer): Promise<void> {
  await tx.updateTable('oauth_codes').set({ used_at: sql`now()` }).where('code_sha256', '=', codeSha256).execute();
}

export interface NewOauthToken {
  readonly authorizationId: number;
  readonly userId: number | null;
  readonly tokenSha256: Buffer;
  readonly refreshSha256: Buffer | null;
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
}

export async function insertOauthToken(tx: Db, token: NewOauthToken): Promise<OauthToken> {
  return await tx
    .insertInto('oauth_tokens')
    .values({
      authorization_id: token.authorizationId,
      user_id: token.userId,
      token_sha256: token.tokenSha256,
      refresh_sha256: token.refreshSha256,
      scopes: [...token.scopes],
      expires_at: inSeconds(token.lifetimeSeconds),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function lockRefreshToken(tx: Db, refreshSha256: Buffer): Promise<OauthToken | undefined> {
  return await tx
    .selectFrom('oauth_tokens')
    .selectAll()
    .where('refresh_sha256', '=', refreshSha256)
    .forUpdate()
    .executeTakeFirst();
}

export async function endToken(tx: Db, id: number): Promise<void> {
  await tx.updateTable('oauth_tokens').set({ revoked_at: sql`now()` }).where('id', '=', id).execute();
}

export interface OauthTokenState {
  readonly token: OauthToken;
  readonly refresh: boolean;
  readonly application: { readonly id: number; readonly uid: string } | null;
  readonly user: Pick<User, 'id' | 'username'> | null;
  /** Not ended, not expired, of an active user or of nobody. */
  readonly active: boolean;
}

/** The access or refresh token with this hash, whatever its state. */
export async function findTokenState(db: Db, sha256: Buffer): Promise<OauthTokenState | undefined> {
  const row = await db
    .selectFrom('oauth_tokens')
    .innerJoin('oauth_authorizations', 'oauth_authorizations.id', 'oauth_tokens.authorization_id')
    .leftJoin('oauth_applications', 'oauth_applications.id', 'oauth_authorizations.application_id')
    .leftJoin('users', 'users.id', 'oauth_tokens.user_id')
    .selectAll('oauth_tokens')
    .select([
      'oauth_applications.id as application_id',
      'oauth_applications.uid',
      'users.username',
      sql<boolean>`oauth_tokens.refresh_sha256 is not distinct from ${sha256}`.as('refresh'),
      sql<boolean>`oauth_tokens.expires_at > now()`.as('fresh'),
      sql<boolean>`(oauth_tokens.user_id is null or users.state = 'active')`.as('welcome'),
    ])
    .where((where) =>
      where.or([where('oauth_tokens.token_sha256', '=', sha256), where('oauth_tokens.refresh_sha256', '=', sha256)]),
    )
    .executeTakeFirst();
  if (!row) return undefined;
  const { application_id, uid, username, refresh, fresh, welcome, ...token } = row;
  return {
    token,
    refresh,
    application: application_id === null || uid === null ? null : { id: application_id, uid },
    user: token.user_id === null || username === null ? null : { id: token.user_id, username },
    active: token.revoked_at === null && welcome && (refresh || fresh),
  };
}

const hasToken = sql<boolean>`exists (select 1 from oauth_tokens
  where oauth_tokens.authorization_id = oauth_authorizations.id and oauth_tokens.revoked_at is null)`;

/** Whether the person lets the application do all this already, and it has a token of that. */
export async function hasConsented(
  db: Db,
  userId: number,
  applicationId: number,
  scopes: readonly string[],
): Promise<boolean> {
  const row = await db
    .selectFrom('oauth_authorizations')
    .select('id')
    .where('user_id', '=', userId)
    .where('application_id', '=', applicationId)
    .where('revoked_at', 'is', null)
    .where('grant_type', '=', 'authorization_code')
    .where(sql<boolean>`scopes @> ${[...scopes]}::text[]`)
    .where(hasToken)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export interface AuthorizedApplication {
  /** Null for tokens that somebody made with their password and no application. */
  readonly application: { readonly id: number; readonly uid: string; readonly name: string } | null;
  readonly scopes: string[];
  readonly first_at: Date;
  readonly last_at: Date;
}

const ofPerson = (db: Db, userId: number) =>
  db
    .selectFrom('oauth_authorizations')
    .leftJoin('oauth_applications', 'oauth_applications.id', 'oauth_authorizations.application_id')
    .where('oauth_authorizations.user_id', '=', userId)
    .where('oauth_authorizations.revoked_at', 'is', null)
    .where(hasToken)
    .groupBy('oauth_applications.id');

/** What a person lets which application do, by its name. */
export async function listAuthorized(
  db: Db,
  userId: number,
  window: { readonly limit: number; readonly offset: number },
): Promise<AuthorizedApplication[]> {
  const rows = await ofPerson(db, userId)
    .select([
      'oauth_applications.id',
      'oauth_applications.uid',
      'oauth_applications.name',
      sql<string[]>`(select array_agg(distinct scope order by scope)
        from oauth_authorizations a, unnest(a.scopes) scope
        where a.id = any(array_agg(oauth_authorizations.id)))`.as('scopes'),
      sql<Date>`min(oauth_authorizations.created_at)`.as('first_at'),
      sql<Date>`max(oauth_authorizations.created_at)`.as('last_at'),
    ])
    .orderBy(sql`lower(oauth_applications.name) nulls last`)
    .orderBy('oauth_applications.id')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  return rows.map(({ id, uid, name, ...row }) => ({
    ...row,
    application: id === null || uid === null || name === null ? null : { id, uid, name },
  }));
}

export const countAuthorized = (db: Db, userId: number): Promise<number> =>
  countUpTo(db, ofPerson(db, userId).select('oauth_applications.id'));

/** Live authorizations that a person gave to an application, or with their password to none. */
export async function authorizationsOf(db: Db, userId: number, applicationId: number | null): Promise<number[]> {
  const rows = await db
    .selectFrom('oauth_authorizations')
    .select('id')
    .where('user_id', '=', userId)
    .where('application_id', applicationId === null ? 'is' : '=', applicationId)
    .where('revoked_at', 'is', null)
    .execute();
  return rows.map((row) => row.id);
}

type NewDevice = Pick<
  Insertable<OauthDeviceCodesTable>,
  'device_sha256' | 'user_code_sha256' | 'application_id' | 'scopes' | 'interval_seconds'
>;

/** False when somebody has that user code already. */
export async function insertDevice(tx: Db, device: NewDevice, lifetimeSeconds: number): Promise<boolean> {
  const row = await tx
    .insertInto('oauth_device_codes')
    .values({ ...device, expires_at: inSeconds(lifetimeSeconds) })
    .onConflict((conflict) => conflict.column('user_code_sha256').doNothing())
    .returning('application_id')
    .executeTakeFirst();
  return row !== undefined;
}

export type FoundDevice = OauthDeviceCode & { readonly expired: boolean; readonly hasty: boolean };

const states = [
  sql<boolean>`expires_at <= now()`.as('expired'),
  sql<boolean>`coalesce(polled_at > now() - make_interval(secs => interval_seconds), false)`.as('hasty'),
] as const;

export async function lockDevice(tx: Db, deviceSha256: Buffer): Promise<FoundDevice | undefined> {
  return await tx
    .selectFrom('oauth_device_codes')
    .selectAll()
    .select(states)
    .where('device_sha256', '=', deviceSha256)
    .forUpdate()
    .executeTakeFirst();
}

/** The device that waits for an answer to this user code. */
export async function waitingDevice(
  db: Db,
  userCodeSha256: Buffer,
  lock: 'lock' | 'read',
): Promise<OauthDeviceCode | undefined> {
  const query = db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('user_code_sha256', '=', userCodeSha256)
    .where('expires_at', '>', sql<Date>`now()`)
    .where('authorization_id', 'is', null)
    .where('denied_at', 'is', null);
  return await (lock === 'lock' ? query.forUpdate() : query).executeTakeFirst();
}

/** The device asked; when it asks too often it has to wait longer from now on. */
export async function notePoll(tx: Db, deviceSha256: Buffer, more: number): Promise<void> {
  await tx
    .updateTable('oauth_device_codes')
    .set({ polled_at: sql`now()`, interval_seconds: sql`interval_seconds + ${more}` })
    .where('device_sha256', '=', deviceSha256)
    .execute();
}

export async function settleDevice(tx: Db, deviceSha256: Buffer, authorizationId: number | null): Promise<void> {
  await tx
    .updateTable('oauth_device_codes')
    .set(authorizationId === null ? { denied_at: sql`now()` } : { authorization_id: authorizationId })
    .where('device_sha256', '=', deviceSha256)
    .execute();
}

export async function deleteDevice(tx: Db, deviceSha256: Buffer): Promise<void> {
  await tx.deleteFrom('oauth_device_codes').where('device_sha256', '=', deviceSha256).execute();
}

/** Removes what ended long enough ago that nobody could tell its reuse any more. */
export async function deleteEnded(db: Db, keptDays: number, unusedDays: number): Promise<void> {
  const before = (days: number) => sql<Date>`now() - make_interval(days => ${days})`;
  await db.deleteFrom('oauth_codes').where('expires_at', '<', before(1)).execute();
  await db.deleteFrom('oauth_device_codes').where('expires_at', '<', before(1)).execute();
  await db.deleteFrom('oauth_tokens').where('revoked_at', '<', before(keptDays)).execute();
  await db.deleteFrom('oauth_tokens').where('created_at', '<', before(unusedDays)).execute();
  await sql`
    delete from oauth_authorizations a
    where a.created_at < now() - interval '1 day'
      and not exists (select 1 from oauth_tokens t where t.authorization_id = a.id)
      and not exists (select 1 from oauth_codes c where c.authorization_id = a.id)
      and not exists (select 1 from oauth_device_codes d where d.authorization_id = a.id)`.execute(db);
}
