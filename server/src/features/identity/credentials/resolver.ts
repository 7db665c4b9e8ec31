/** From the secrets in a request to the caller behind them. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import type { CredentialResolver } from '../../../kernel/http/credentials.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { isOfKind, type Secrets, tokenHash } from '../../../kernel/secrets/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { findUser } from '../users/index.ts';
import type { AddressLimit } from './addresses.ts';
import type { CallerCache } from './caller-cache.ts';
import {
  findDeployToken,
  findOauthHolder,
  findSessionHolder,
  findTokenHolder,
  type SessionHolder,
} from './credentials.queries.ts';
import { createSudo } from './sudo.ts';
import type { UsageRecorder } from './usage.ts';

/** Finds the caller of a running job by its token's hash; provided by the ci feature through app.ts. */
export type JobTokenResolver = (tokenSha256: Buffer) => Promise<Caller | null>;

export interface ResolverDependencies {
  readonly db: Db;
  readonly cache: CallerCache;
  readonly usage: UsageRecorder;
  /** The instance's signatures; a CSRF token is one of the session's. */
  readonly secrets: Pick<Secrets, 'sign' | 'verify'>;
  readonly resolveJobToken: JobTokenResolver;
  readonly settings: Settings;
  /** Without a trailing slash. */
  readonly externalUrl: string;
  /** Until when a person has to set up a second factor; null when nobody asks for it. */
  readonly twoFactorRequiredUntil: (user: User) => Promise<Date | null>;
  readonly refusesTokensInUrls: () => Promise<boolean>;
  /** Whether administrators may act as others, with tokens and by browsing. */
  readonly impersonationEnabled: boolean;
  readonly reused: CredentialResolver['reused'];
  /** Throws where a person acts from too many addresses. */
  readonly admit: AddressLimit['admit'];
}

export interface Credentials extends CredentialResolver {
  /** The CSRF token of a session; another one while an administrator acts as somebody, for pages that are still open. */
  csrfToken(sessionToken: string, caller: Pick<Caller, 'user' | 'impersonator'>): string;
}

/** The one place where an account's administrator rights become the caller's: asked again in admin mode, or not needed. */
export type Administers = (user: User, provenAgain: boolean) => Promise<boolean>;

/** Finds the caller of one kind of bearer token by its hash: one indexed read. */
type BearerKind = (tokenSha256: Buffer) => Promise<Caller | null>;

/** Longer than any token there is: not worth a hash and a read. */
const longestToken = 1024;
const csrfPurpose = 'csrf';
/** What OAuth access tokens look like. Others may, so that those are looked for too. */
const oauthToken = /^[0-9a-f]{64}$/;
const signedFor = (sessionToken: string, { user, impersonator }: Pick<Caller, 'user' | 'impersonator'>) =>
  impersonator ? `${sessionToken} as ${user?.id}` : sessionToken;

/** Neither bots nor anybody who could not sign in. */
export const mayBeActedAs = ({ state, user_type }: Pick<User, 'state' | 'user_type'>): boolean =>
  state === 'active' && user_type === 'human';

/** Wired in app.ts as the edge's resolver. */
export function createResolver(deps: ResolverDependencies): Credentials {
  const { db, cache, usage, secrets } = deps;

  const administers: Administers = async (user, provenAgain) =>
    user.admin && (provenAgain || !(await deps.settings.read()).admin_mode);

  const accessTokens: BearerKind = async (hash) => {
    const holder = await findTokenHolder(db, hash);
    if (!holder || (holder.token_kind === 'impersonation' && !deps.impersonationEnabled)) return null;
    if (holder.token_kind === 'personal' && (await deps.settings.read()).disable_personal_access_tokens) return null;
    return {
      user: holder.user,
      credential: { kind: 'token', tokenId: holder.token_id, tokenKind: holder.token_kind },
      scopes: new Set(holder.token_scopes),
      admin: await administers(holder.user, holder.token_scopes.includes('admin_mode')),
    };
  };
  const oauthTokens: BearerKind = async (hash) => {
    const holder = await findOauthHolder(db, hash);
    if (!holder) return null;
    return {
      user: holder.user,
      credential: { kind: 'oauth', tokenId: holder.token_id, applicationId: holder.application_id },
      scopes: new Set(holder.token_scopes),
      admin: await administers(holder.user, holder.token_scopes.includes('admin_mode')),
    };
  };
  /** The kinds that a token may be of, the likeliest first: one read finds it. */
  const kindsOf = (token: string): readonly BearerKind[] =>
    oauthToken.test(token) ? [oauthTokens, accessTokens] : [accessTokens];

  /**
   * Where the instance has terms, tokens of people who have not accepted them do nothing. Administrators' do: else whoever
   * asks for them over the API could not take that back.
   */
  const requireTerms = async (user: User): Promise<void> => {
    if (user.user_type !== 'human' || user.admin || user.accepted_terms_at !== null) return;
    if (!(await deps.settings.read()).enforce_terms) return;
    throw forbidden(
      `You (@${user.username}) must accept the Terms of Service in order to perform this action. To accept these terms, please access Millrace from a web browser at ${deps.externalUrl}.`,
    );
  };

  const accessToken = async (token: string, address: string): Promise<Caller | null> => {
    if (token.length > longestToken) return null;
    const hash = tokenHash(token);
    const caller = await cache.get(`t${hash.toString('base64')}`, async () => {
      for (const find of kindsOf(token)) {
        const found = await find(hash);
        if (found) return found;
      }
      return null;
    });
    if (caller?.user) await requireTerms(caller.user);
    if (caller?.user) await deps.admit(caller.user, address);
    const credential = caller?.credential;
    if (caller?.user && (credential?.kind === 'token' || credential?.kind === 'oauth'))
      usage.used(credential.kind, credential.tokenId, caller.user.id);
    return caller;
  };

  /** The person that an administrator acts as: with no more rights than any session, and no second factor to set up. */
  const actingAs = async ({ user, session_id, acting_as_id }: SessionHolder): Promise<Caller | null> => {
    if (acting_as_id === null || !user.admin || !deps.impersonationEnabled) return null;
    const person = await findUser(db, acting_as_id);
    if (!person || !mayBeActedAs(person)) return null;
    const credential = { kind: 'session', sessionId: session_id, needsTwoFactor: false } as const;
    return { user: person, credential, scopes: null, admin: false, impersonator: user };
  };

  const session = async (token: string, address: string): Promise<Caller | null> => {
    if (token.length > longestToken) return null;
    const hash = tokenHash(token);
    const caller = await cache.get(`s${hash.toString('base64')}`, async () => {
      const holder = await findSessionHolder(db, hash);
      if (!holder) return null;
      const acting = await actingAs(holder);
      if (acting) return acting;
      const until = await deps.twoFactorRequiredUntil(holder.user);
      return {
        user: holder.user,
        credential: {
          kind: 'session',
          sessionId: holder.session_id,
          needsTwoFactor: until !== null && until.getTime() <= Date.now(),
        },
        scopes: null,
        admin: await administers(holder.user, holder.admin_until !== null && holder.admin_until.getTime() > Date.now()),
      };
    });
    if (caller?.user && caller.credential.kind === 'session') {
      await deps.admit(caller.impersonator ?? caller.user, address);
      usage.used('session', caller.credential.sessionId, (caller.impersonator ?? caller.user).id);
    }
    return caller;
  };

  const deployToken = async (username: string | null, token: string): Promise<Caller | null> => {
    if (token.length > longestToken || (username ?? '').length > longestToken || username?.includes('\0')) return null;
    const hash = tokenHash(token);
    return await cache.get(`d${hash.toString('base64')}${username === null ? '' : `:${username}`}`, async () => {
      const found = await findDeployToken(db, hash, username);
      if (!found) return null;
      const { id: deployTokenId, project_id: projectId, namespace_id: namespaceId, scopes } = found;
      const credential = { kind: 'deploy', deployTokenId, projectId, namespaceId } as const;
      return { user: null, credential, scopes: new Set(scopes), admin: false };
    });
  };

  const jobToken: CredentialResolver['jobToken'] = async (token) =>
    token.length > longestToken ? null : await deps.resolveJobToken(tokenHash(token));

  return {
    accessToken,
    session,
    tokenAsPassword: async (username, password, address) => {
      if (isOfKind(password, tokenPrefixes.deploy)) return await deployToken(username, password);
      return (await accessToken(password, address)) ?? (await jobToken(password));
    },
    refusesTokensInUrls: deps.refusesTokensInUrls,
    deployToken,
    reused: deps.reused,
    actAs: createSudo(db, administers),
    jobToken,
    csrfToken: (sessionToken, caller) => secrets.sign(signedFor(sessionToken, caller), csrfPurpose),
    csrfValid: (sessionToken, csrfToken, caller) =>
      secrets.verify(signedFor(sessionToken, caller), csrfToken, csrfPurpose),
  };
}
