/** Where credentials are found in a request, and who turns them into a caller. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../authz/subjects.ts';
import { cookieNames } from '../names.ts';
import { forbidden, HttpError, insufficientScope, unauthorized } from './errors.ts';
import type { CredentialKind } from './route.ts';

/** Implemented by the identity feature and wired in app.ts. Every method answers null for what is unknown, expired or revoked. */
export interface CredentialResolver {
  /** An access token of any kind. */
  accessToken(token: string, clientAddress: string): Promise<Caller | null>;
  /** The token of a running job. */
  jobToken(token: string): Promise<Caller | null>;
  /** A deploy token; its username where the request gives one. */
  deployToken(username: string | null, token: string): Promise<Caller | null>;
  /** The password of Basic authentication, where it is a token of any kind. */
  tokenAsPassword(username: string, password: string, clientAddress: string): Promise<Caller | null>;
  /** A session cookie's value. */
  session(token: string, clientAddress: string): Promise<Caller | null>;
  /** Whether tokens in URLs are refused, because they end up in histories and in logs of others. */
  refusesTokensInUrls(): Promise<boolean>;
  /** Whether the CSRF token belongs to the session cookie and whoever it stands for now. */
  csrfValid(sessionToken: string, csrfToken: string, caller: Caller): boolean;
  /** A token that did not work was sent to be rotated. */
  reused(token: string, clientAddress: string): Promise<void>;
  /** The caller that an administrator asks to be, by id or username; throws the API's 403 and 404. */
  actAs(caller: Caller, wanted: string, request: ActAsRequest): Promise<Caller>;
}

/** What is kept of a request that an administrator makes as somebody else. */
export interface ActAsRequest {
  readonly method: string;
  /** The route's path, without what the caller put into it. */
  readonly path: string;
  /** The token needs one of these besides `sudo`. */
  readonly scopes: readonly string[];
  readonly clientAddress: string;
}

interface Found {
  /** `private`: where OAuth tokens are not read. */
  readonly kind: 'private' | 'token' | 'job' | 'any' | 'deploy';
  readonly value: string;
  readonly inUrl?: boolean;
}

export const headerValue = (request: FastifyRequest, name: string): string | undefined => {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** The raw tokens of a request, in order of precedence: header, query, bearer. */
function findTokens(request: FastifyRequest, query: Readonly<Record<string, unknown>>): Found[] {
  const found: Found[] = [];
  const add = (kind: Found['kind'], value: unknown, inUrl = false) => {
    if (typeof value === 'string' && value !== '') found.push({ kind, value, inUrl });
  };
  add('private', headerValue(request, 'private-token'));
  add('private', query.private_token, true);
  add('job', headerValue(request, 'job-token'));
  add('job', query.job_token, true);
  add('token', query.access_token, true);
  // Deploy tokens are for git and packages: elsewhere their header is known only to be refused.
  add('deploy', headerValue(request, 'deploy-token'));
  const authorization = headerValue(request, 'authorization');
  const bearer = authorization ? /^bearer\s+(\S+)$/i.exec(authorization) : null;
  add('any', bearer?.[1]);
  return found;
}

export function cookie(request: FastifyRequest, names: readonly string[]): string | undefined {
  const header = request.headers.cookie;
  if (!header) return undefined;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && names.includes(part.slice(0, equals).trim())) return part.slice(equals + 1).trim();
  }
  return undefined;
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The caller of a token that comes as the password of Basic authentication; null when nothing does. */
async function byPassword(resolver: CredentialResolver, request: FastifyRequest): Promise<Caller | null> {
  const [, encoded] = /^basic\s+(\S+)$/i.exec(headerValue(request, 'authorization') ?? '') ?? [];
  if (encoded === undefined) return null;
  const [, username = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? [];
  const caller = await resolver.tokenAsPassword(username, password, request.ip);
  if (!caller) throw unauthorized();
  return caller;
}

/** The caller of the first token that a request carries; null when it carries none. */
async function byToken(
  resolver: CredentialResolver,
  request: FastifyRequest,
  query: Readonly<Record<string, unknown>>,
  accepted: readonly CredentialKind[],
  rotatesToken: boolean,
): Promise<Caller | null> {
  const [first] = findTokens(request, query);
  if (!first) return accepted.includes('deploy') ? await byPassword(resolver, request) : null;
  if (first.kind === 'deploy' && accepted.includes('deploy')) {
    const deploy = await resolver.deployToken(null, first.value);
    if (!deploy) throw unauthorized();
    return deploy;
  }
  if (first.inUrl && (await resolver.refusesTokensInUrls()))
    throw new HttpError(401, { message: '401 Unauthorized - refuse_tokens_in_urls: send the token in a header' });
  const { kind, value } = first;
  const asToken = kind !== 'job' && kind !== 'deploy' ? await resolver.accessToken(value, request.ip) : null;
  if (asToken) {
    const misplaced = kind === 'private' && asToken.credential.kind === 'oauth';
    if (misplaced || !accepted.includes('token')) throw unauthorized();
    return asToken;
  }
  if (rotatesToken) await resolver.reused(value, request.ip);
  const asJob = kind === 'job' || kind === 'any' ? await resolver.jobToken(value) : null;
  if (!asJob || !accepted.includes('job')) throw unauthorized();
  return asJob;
}

/** A good token where only people who have signed in may act: it is said that no token does. */
async function refuseToken(
  resolver: CredentialResolver,
  request: FastifyRequest,
  query: Readonly<Record<string, unknown>>,
): Promise<void> {
  const [first] = findTokens(request, query);
  if (!first) return;
  const known =
    first.kind === 'deploy' || first.kind === 'job' ? null : await resolver.accessToken(first.value, request.ip);
  throw known ? forbidden('this is not available to tokens: sign in with a browser') : unauthorized();
}

/**
 * The caller of a request; null when it carries no credential that the route reads. A credential that is read and bad
 * is 401, never a fall back to anonymous.
 */
export async function authenticate(
  resolver: CredentialResolver,
  request: FastifyRequest,
  query: Readonly<Record<string, unknown>>,
  accepted: readonly CredentialKind[],
  rotatesToken = false,
): Promise<Caller | null> {
  if (accepted.includes('token') || accepted.includes('job')) {
    const caller = await byToken(resolver, request, query, accepted, rotatesToken);
    if (caller) return caller;
  }
  if (accepted.includes('session')) {
    const value = cookie(request, cookieNames);
    if (value) {
      const caller = await resolver.session(value, request.ip);
      // An expired cookie is what every browser carries sooner or later: it counts as absent.
      if (!caller) return null;
      const csrfToken = headerValue(request, 'x-csrf-token') ?? '';
      if (!safeMethods.has(request.method) && !resolver.csrfValid(value, csrfToken, caller)) throw unauthorized();
      return caller;
    }
  }
  if (accepted.length === 1 && accepted[0] === 'session') await refuseToken(resolver, request, query);
  return null;
}

/** Throws 403 for a token that has none of the scopes; sessions, and callers without a credential, have all that they may. */
export function requireScope(caller: Pick<Caller, 'scopes'>, accepted: readonly string[]): void {
  if (caller.scopes !== null && !accepted.some((scope) => caller.scopes?.has(scope))) throw insufficientScope(accepted);
}
