/** The reads behind every request with a credential: one indexed row each. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { DeployToken, User } from '../../../kernel/db/rows.ts';

export interface TokenHolder {
  readonly user: User;
  readonly token_id: number;
  readonly token_kind: 'personal' | 'project' | 'group' | 'impersonation';
  readonly token_scopes: string[];
}

/** The user of a usable access token: not revoked, not expired, of an active user. */
export async function findTokenHolder(db: Db, tokenSha256: Buffer): Promise<TokenHolder | undefined> {
  const row = await db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .selectAll('users')
    .select([
      'access_tokens.id as token_id',
      'access_tokens.kind as token_kind',
      'access_tokens.scopes as token_scopes',
    ])
    .where('access_tokens.token_sha256', '=', tokenSha256)
    .where('access_tokens.revoked_at', 'is', null)
    .where((where) =>
      where.or([
        where('access_tokens.expires_at', 'is', null),
        where('access_tokens.expires_at', '>', sql<string>`(now() at time zone 'utc')::date`),
      ]),
    )
    .where('users.state', '=', 'active')
    .executeTakeFirst();
  if (!row) return undefined;
  const { token_id, token_kind, token_scopes, ...user } = row;
  return { user, token_id, token_kind, token_scopes };
}

export interface OauthHolder {
  readonly user: User;
  readonly token_id: number;
  readonly application_id: number | null;
  readonly token_scopes: string[];
}

/** The user of a usable OAuth access token: neither ended nor expired, of an active user. */
export async function findOauthHolder(db: Db, tokenSha256: Buffer): Promise<OauthHolder | undefined> {
  const row = await db
    .selectFrom('oauth_tokens')
    .innerJoin('users', 'users.id', 'oauth_tokens.user_id')
    .innerJoin('oauth_authorizations', 'oauth_authorizations.id', 'oauth_tokens.authorization_id')
    .selectAll('users')
    .select([
      'oauth_tokens.id as token_id',
      'oauth_tokens.scopes as token_scopes',
      'oauth_authorizations.application_id',
    ])
    .where('oauth_tokens.token_sha256', '=', tokenSha256)
    .where('oauth_tokens.revoked_at', 'is', null)
    .where('oauth_tokens.expires_at', '>', sql<Date>`now()`)
    .where('users.state', '=', 'active')
    .executeTakeFirst();
  if (!row) return undefined;
  const { token_id, token_scopes, application_id, ...user } = row;
  return { user, token_id, token_scopes, application_id };
}

/** A usable deploy token: not revoked, not expired; of that username, where one is given. */
export async function findDeployToken(
  db: Db,
  tokenSha256: Buffer,
  username: string | null,
): Promise<Pick<DeployToken, 'id' | 'project_id' | 'namespace_id' | 'scopes'> | undefined> {
  return await db
    .selectFrom('deploy_tokens')
    .select(['id', 'project_id', 'namespace_id', 'scopes'])
    .where('token_sha256', '=', tokenSha256)
    .$if(username !== null, (query) => query.where('username', '=', username ?? ''))
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
}

export interface SessionHolder {
  readonly user: User;
  readonly session_id: number;
  /** Until when the session has the rights of an administrator who proved themselves again. */
  readonly admin_until: Date | null;
  /** Whom the administrator of the session acts as. */
  readonly acting_as_id: number | null;
}

/** The active user of a session that has not expired. */
export async function findSessionHolder(db: Db, tokenSha256: Buffer): Promise<SessionHolder | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('users')
    .select(['sessions.id as session_id', 'sessions.admin_until', 'sessions.acting_as_id'])
    .where('sessions.token_sha256', '=', tokenSha256)
    .where('sessions.expires_at', '>', sql<Date>`now()`)
    .where('users.state', '=', 'active')
    .executeTakeFirst();
  if (!row) return undefined;
  const { session_id, admin_until, acting_as_id, ...user } = row;
  return { user, session_id, admin_until, acting_as_id };
}

/** Notes the day on which users were last seen. */
export async function touchUsers(db: Db, ids: readonly number[]): Promise<void> {
  const day = sql<string>`(now() at time zone 'utc')::date`;
  await db
    .updateTable('users')
    .set({ last_activity_on: day })
    .where('id', 'in', [...ids])
    .where((where) => where.or([where('last_activity_on', 'is', null), where('last_activity_on', '<', day)]))
    .execute();
}
