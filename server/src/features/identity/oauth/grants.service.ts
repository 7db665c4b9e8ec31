/** From what somebody shows (a code, a refresh token, a password) to tokens, and ending them. */
import { createHash, randomBytes } from 'node:crypto';
import { type AuditOrigin, instanceEntity, recordAudit } from '../../../kernel/audit/index.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { OauthApplication, OauthAuthorization, OauthToken, User } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { findApplicationById } from '../applications/index.ts';
import { announceChange } from '../changes/index.ts';
import { findUser, userEntity } from '../users/index.ts';
import {
  authorizationsOf,
  deleteEnded,
  endAuthorizations,
  endToken,
  findTokenState,
  insertAuthorization,
  insertCode,
  insertOauthToken,
  lockAuthorization,
  lockCode,
  lockRefreshToken,
  type OauthTokenState,
  useCode,
} from './oauth.queries.ts';
import { oauthError } from './requests.ts';

const tokenSeconds = 7200;
const codeSeconds = 600;
/** How long ended tokens stay, so that using a copy of one is noticed. */
const endedKeptDays = 30;
/** Tokens that nobody refreshed for so long are forgotten. */
const unusedDays = 365;

/** As token endpoints answer; also what tests and clients read. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly refresh_token?: string;
  readonly scope: string;
  readonly created_at: number;
}

export interface Consent {
  readonly user: Pick<User, 'id' | 'username'>;
  readonly application: Pick<OauthApplication, 'id' | 'name'>;
  readonly scopes: readonly string[];
}

export interface CodeRequest {
  readonly application: OauthApplication;
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string | undefined;
  readonly origin: AuditOrigin;
}

export interface RefreshRequest {
  /** Null for tokens that were made with a password and no application. */
  readonly application: OauthApplication | null;
  readonly refreshToken: string;
  /** Undefined for all that were granted. */
  readonly scopes: readonly string[] | undefined;
  readonly origin: AuditOrigin;
}

const newSecret = () => randomBytes(32).toString('hex');
const invalid = (description: string) => oauthError('invalid_grant', description);
const ended = () => invalid('The grant is invalid, has expired or was revoked, or belongs to another application.');
const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/;

/** Whether the verifier is what the challenge was made of (RFC 7636, S256); a verifier without a challenge is a downgrade. */
function proves(challenge: string | null, verifier: string | undefined): boolean {
  if (challenge === null || verifier === undefined) return challenge === null && verifier === undefined;
  return verifierPattern.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
}

export function createGrants({ db, forget }: { readonly db: Db; readonly forget: () => void }) {
  async function record(
    tx: Db,
    event: string,
    authorization: OauthAuthorization,
    origin: AuditOrigin,
    details: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const user = authorization.user_id === null ? undefined : await findUser(tx, authorization.user_id);
    const { application_id: applicationId } = authorization;
    const application = applicationId === null ? undefined : await findApplicationById(tx, applicationId);
    await recordAudit(tx, {
      ...origin,
      entity: user ? userEntity(user) : instanceEntity,
      event,
      details: { grant_type: authorization.grant_type, scopes: authorization.scopes, ...details },
      target: {
        type: 'OauthApplication',
        id: applicationId,
        details: application?.name ?? 'no application',
      },
    });
  }

  async function issue(
    tx: Db,
    authorization: OauthAuthorization,
    scopes: readonly string[] = authorization.scopes,
  ): Promise<TokenAnswer> {
    const token = newSecret();
    // Whoever acts for itself asks again instead of refreshing (RFC 6749, 4.4.3).
    const refresh = authorization.grant_type === 'client_credentials' ? null : newSecret();
    const row = await insertOauthToken(tx, {
      authorizationId: authorization.id,
      userId: authorization.user_id,
      tokenSha256: tokenHash(token),
      refreshSha256: refresh === null ? null : tokenHash(refresh),
      scopes,
      lifetimeSeconds: tokenSeconds,
    });
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: tokenSeconds,
      ...(refresh === null ? {} : { refresh_token: refresh }),
      scope: scopes.join(' '),
      created_at: Math.floor(row.created_at.getTime() / 1000),
    };
  }

  /** Somebody has a copy of what was used: nothing that came of it works any more. */
  async function endReused(
    tx: Db,
    authorization: OauthAuthorization,
    what: 'code' | 'refresh_token',
    origin: AuditOrigin,
  ): Promise<void> {
    if ((await endAuthorizations(tx, [authorization.id])).length === 0) return;
    await record(tx, 'oauth_authorization_revoked', authorization, origin, { reason: `${what} used twice` });
    await announceChange(tx);
  }

  const welcome = async (tx: Db, userId: number | null) =>
    userId === null || (await findUser(tx, userId))?.state === 'active';

  async function end(ids: readonly number[], origin: AuditOrigin, reason?: string): Promise<number> {
    const count = await transaction(db, async (tx) => {
      const gone = await endAuthorizations(tx, ids);
      for (const id of gone) {
        const authorization = await lockAuthorization(tx, id);
        if (authorization)
          await record(tx, 'oauth_authorization_revoked', authorization, origin, reason ? { reason } : {});
      }
      if (gone.length > 0) await announceChange(tx);
      return gone.length;
    });
    forget();
    return count;
  }

  /** Runs in a transaction; what it answers is thrown or returned after the commit, so that what ended stays ended. */
  const settled = async (work: (tx: Db) => Promise<TokenAnswer | Error>): Promise<TokenAnswer> => {
    const result = await transaction(db, work);
    forget();
    if (result instanceof Error) throw result;
    return result;
  };

  return {
    /** The code for what somebody agreed to. */
    async consent(
      { user, application, scopes }: Consent,
      request: { readonly redirectUri: string; readonly challenge: string | null },
      origin: AuditOrigin,
    ): Promise<string> {
      const code = newSecret();
      await transaction(db, async (tx) => {
        const authorization = await insertAuthorization(tx, {
          application_id: application.id,
          user_id: user.id,
          grant_type: 'authorization_code',
          scopes: [...scopes],
        });
        const values = { code_sha256: tokenHash(code), authorization_id: authorization.id };
        const bound = { redirect_uri: request.redirectUri, code_challenge: request.challenge };
        await insertCode(tx, { ...values, ...bound }, codeSeconds);
        await record(tx, 'oauth_authorization_created', authorization, origin);
      });
      return code;
    },

    exchange: (request: CodeRequest): Promise<TokenAnswer> =>
      settled(async (tx) => {
        const hash = tokenHash(request.code);
        const code = await lockCode(tx, hash);
        const authorization = code && (await lockAuthorization(tx, code.authorization_id));
        if (!authorization || authorization.application_id !== request.application.id) return ended();
        if (code.used_at !== null) {
          await endReused(tx, authorization, 'code', request.origin);
          return ended();
        }
        if (code.expired || authorization.revoked_at !== null) return ended();
        if (!(await welcome(tx, authorization.user_id))) return ended();
        if (code.redirect_uri !== request.redirectUri)
          return invalid('The redirect URI is not the one of the request.');
        if (!proves(code.code_challenge, request.verifier))
          return invalid('The code verifier does not match the code challenge.');
        await useCode(tx, hash);
        return await issue(tx, authorization);
      }),

    refresh: (request: RefreshRequest): Promise<TokenAnswer> =>
      settled(async (tx) => {
        const token = await lockRefreshToken(tx, tokenHash(request.refreshToken));
        const authorization = token && (await lockAuthorization(tx, token.authorization_id));
        if (!authorization || authorization.application_id !== (request.application?.id ?? null)) return ended();
        if (token.revoked_at !== null) {
          await endReused(tx, authorization, 'refresh_token', request.origin);
          return ended();
        }
        if (authorization.revoked_at !== null || !(await welcome(tx, authorization.user_id))) return ended();
        const scopes = request.scopes ?? authorization.scopes;
        if (scopes.length === 0 || scopes.some((scope) => !authorization.scopes.includes(scope)))
          return oauthError('invalid_scope', 'The scope is wider than what was granted.');
        await endToken(tx, token.id);
        await announceChange(tx);
        return await issue(tx, authorization, scopes);
      }),

    /** Tokens for somebody who gave their password, or for an application itself; what is needed was checked. */
    grant: (
      values: {
        readonly type: 'password' | 'client_credentials';
        readonly application: OauthApplication | null;
        readonly user: Pick<User, 'id'> | null;
        readonly scopes: readonly string[];
      },
      origin: AuditOrigin,
    ): Promise<TokenAnswer> =>
      transaction(db, async (tx) => {
        const authorization = await insertAuthorization(tx, {
          application_id: values.application?.id ?? null,
          user_id: values.user?.id ?? null,
          grant_type: values.type,
          scopes: [...values.scopes],
        });
        await record(tx, 'oauth_authorization_created', authorization, origin);
        return await issue(tx, authorization);
      }),

    /** For devices: the authorization that somebody gives, and later the tokens of it. */
    authorizeDevice: async (tx: Db, { user, application, scopes }: Consent, origin: AuditOrigin): Promise<number> => {
      const authorization = await insertAuthorization(tx, {
        application_id: application.id,
        user_id: user.id,
        grant_type: 'device_code',
        scopes: [...scopes],
      });
      await record(tx, 'oauth_authorization_created', authorization, origin);
      return authorization.id;
    },
    issueDevice: async (tx: Db, authorizationId: number): Promise<TokenAnswer | Error> => {
      const authorization = await lockAuthorization(tx, authorizationId);
      if (!authorization || authorization.revoked_at !== null) return ended();
      return (await welcome(tx, authorization.user_id)) ? await issue(tx, authorization) : ended();
    },
    settled,

    find: (secret: string): Promise<OauthTokenState | undefined> => findTokenState(db, tokenHash(secret)),
    /** Ends what the token belongs to. */
    revoke: (token: Pick<OauthToken, 'authorization_id'>, origin: AuditOrigin) => end([token.authorization_id], origin),
    /** Takes back what a person let an application do, or what they made with their password and no application. */
    withdraw: async (userId: number, applicationId: number | null, origin: AuditOrigin): Promise<number> =>
      await end(await authorizationsOf(db, userId, applicationId), origin),
    sweep: () => deleteEnded(db, endedKeptDays, unusedDays),
  };
}

export type Grants = ReturnType<typeof createGrants>;
