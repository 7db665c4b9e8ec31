/** Endpoints that applications call themselves: tokens, what they are worth, ending them, and what is served here. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AuditOrigin, strangerAt } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { OauthApplication, User } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { duringMaintenance } from '../../../kernel/http/maintenance.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { scopesOf } from '../applications/index.ts';
import { allScopes, applicationScopes } from '../tokens/index.ts';
import { findUser } from '../users/index.ts';
import { clientOf, requireClient } from './clients.ts';
import type { Devices } from './devices.service.ts';
import type { Grants, TokenAnswer } from './grants.service.ts';
import {
  bodyParameters,
  neverCached,
  oauthError,
  type Parameters,
  queryParameters,
  required,
  sendJson,
} from './requests.ts';
import { isKnown, scopesFor } from './scopes.ts';

export interface TokenMountDependencies {
  readonly db: Db;
  readonly settings: Settings;
  readonly grants: Grants;
  readonly devices: Devices;
  /** Counts an attempt to sign in to an account; why it is refused, null when it is not. */
  readonly signInRefusal: (login: string) => Promise<Error | null>;
  /** The user whose login and password these are, where a password alone lets them in. */
  readonly checkOnlyPassword: (login: string, password: string, address: string) => Promise<User | null>;
  readonly twoFactorRequiredUntil: (user: User) => Promise<Date | null>;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

interface GrantRequest {
  readonly request: FastifyRequest;
  readonly parameters: Parameters;
  readonly origin: AuditOrigin;
}

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const defaultScope = 'api';

/** Applications that run in a page of another site may call these; no cookie counts here. */
const crossOrigin = (reply: FastifyReply): FastifyReply =>
  reply
    .header('Access-Control-Allow-Origin', '*')
    .header('Access-Control-Allow-Methods', 'GET, POST, OPTIONS')
    .header('Access-Control-Allow-Headers', 'Authorization, Content-Type')
    .header('Access-Control-Max-Age', '7200');

const bearerOf = (request: FastifyRequest): string | undefined =>
  /^bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];

/** What an application gets of what it asks for: nothing that it has not registered. */
function scopesOfClient(application: OauthApplication | null, asked: string | undefined): readonly string[] {
  const most = application?.scopes ?? allScopes;
  const usual = most.includes(defaultScope) ? [defaultScope] : most;
  const scopes = asked === undefined ? usual : scopesOf(asked);
  if (scopes.length === 0 || scopes.some((scope) => !isKnown(scope) || !most.includes(scope)))
    throw oauthError('invalid_scope', 'The scope is unknown or wider than what the application registered.');
  return scopes;
}

export function mountTokenEndpoints(server: FastifyInstance, deps: TokenMountDependencies): void {
  const { db, settings, grants, devices, externalUrl } = deps;

  async function password({ request, parameters, origin }: GrantRequest): Promise<TokenAnswer> {
    const application = await clientOf(db, request, parameters);
    const values = await settings.read();
    if (!application && !values.ropc_without_client_credentials)
      throw oauthError('invalid_client', 'An application is needed for this.', 401);
    if (!values.password_authentication_enabled_for_git)
      throw oauthError('unauthorized_client', 'Passwords are not taken here.');
    const login = required(parameters, 'username');
    const secret = required(parameters, 'password');
    const asked = scopesOfClient(application, parameters.scope);
    const refusal = await deps.signInRefusal(login);
    if (refusal) throw refusal;
    const user = await deps.checkOnlyPassword(login, secret, request.ip);
    const until = user && (await deps.twoFactorRequiredUntil(user));
    if (!user || (until && until.getTime() <= Date.now()))
      throw oauthError('invalid_grant', 'The username or password is wrong, or a password alone is not enough.');
    const scopes = scopesFor(user, asked);
    if (scopes.length === 0) throw oauthError('invalid_scope', 'The scope needs an administrator.');
    const author = { id: user.id, name: user.name, email: user.email };
    return await grants.grant({ type: 'password', application, user, scopes }, { ...origin, author });
  }

  async function clientCredentials({ request, parameters, origin }: GrantRequest): Promise<TokenAnswer> {
    const application = await requireClient(db, request, parameters);
    if (!application.confidential)
      throw oauthError('unauthorized_client', 'This is for applications that can keep a secret.');
    const scopes = scopesOfClient(application, parameters.scope);
    return await grants.grant({ type: 'client_credentials', application, user: null, scopes }, origin);
  }

  const kinds: Readonly<Record<string, (given: GrantRequest) => Promise<TokenAnswer>>> = {
    authorization_code: async ({ request, parameters, origin }) =>
      await grants.exchange({
        application: await requireClient(db, request, parameters),
        code: required(parameters, 'code'),
        redirectUri: required(parameters, 'redirect_uri'),
        verifier: parameters.code_verifier,
        origin,
      }),
    refresh_token: async ({ request, parameters, origin }) =>
      await grants.refresh({
        application: await clientOf(db, request, parameters),
        refreshToken: required(parameters, 'refresh_token'),
        scopes: parameters.scope === undefined ? undefined : scopesOf(parameters.scope),
        origin,
      }),
    password,
    client_credentials: clientCredentials,
    [deviceGrant]: async ({ request, parameters }) =>
      await devices.poll(await requireClient(db, request, parameters), required(parameters, 'device_code')),
  };

  async function token(request: FastifyRequest): Promise<TokenAnswer> {
    const parameters = await bodyParameters(request);
    const type = required(parameters, 'grant_type');
    const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (!kind) throw oauthError('unsupported_grant_type', 'This kind of grant is not served.');
    return await kind({ request, parameters, origin: strangerAt(request.ip) });
  }

  async function revoke(request: FastifyRequest): Promise<object> {
    const parameters = await bodyParameters(request);
    const application = await clientOf(db, request, parameters);
    const found = await grants.find(required(parameters, 'token'));
    // What does not exist any more is as good as ended (RFC 7009, 2.2).
    if (!found) return {};
    if ((found.application?.id ?? null) !== (application?.id ?? null))
      throw oauthError('unauthorized_client', 'The token belongs to another application.', 403);
    await grants.revoke(found.token, strangerAt(request.ip));
    return {};
  }

  async function introspect(request: FastifyRequest): Promise<object> {
    const parameters = await bodyParameters(request);
    const application = await requireClient(db, request, parameters);
    if (!application.confidential)
      throw oauthError('invalid_client', 'Only applications that prove themselves are told.', 401);
    const found = await grants.find(required(parameters, 'token'));
    if (!found?.active || found.application?.id !== application.id) return { active: false };
    const { token: row, user, refresh } = found;
    const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
    return {
      active: true,
      scope: row.scopes.join(' '),
      client_id: application.uid,
      token_type: 'Bearer',
      ...(refresh ? {} : { exp: seconds(row.expires_at) }),
      iat: seconds(row.created_at),
      iss: externalUrl,
      ...(user ? { sub: String(user.id), username: user.username } : {}),
    };
  }

  async function info(request: FastifyRequest): Promise<object> {
    const inUrl = queryParameters(request.url).access_token;
    if (inUrl !== undefined && (await settings.read()).refuse_tokens_in_urls)
      throw oauthError('invalid_token', 'refuse_tokens_in_urls: send the token in a header.', 401);
    const secret = inUrl ?? bearerOf(request);
    const found = secret === undefined ? undefined : await grants.find(secret);
    if (!found?.active || found.refresh)
      throw oauthError('invalid_token', 'The access token is unknown, expired or revoked.', 401, {
        'WWW-Authenticate': 'Bearer realm="OAuth", error="invalid_token"',
      });
    const { scopes, created_at, expires_at } = found.token;
    const left = Math.floor((expires_at.getTime() - Date.now()) / 1000);
    return {
      resource_owner_id: found.user?.id ?? null,
      scope: scopes,
      expires_in: left,
      application: { uid: found.application?.uid ?? null },
      created_at: Math.floor(created_at.getTime() / 1000),
      scopes,
      expires_in_seconds: left,
    };
  }

  /** Who gave the token, as far as its scopes tell (OpenID Connect Core, 5.3). */
  async function userInfo(request: FastifyRequest): Promise<object> {
    const secret = bearerOf(request);
    const found = secret === undefined ? undefined : await grants.find(secret);
    const row = found?.active && !found.refresh ? found.token : null;
    const user = found?.user && row ? await findUser(db, found.user.id) : undefined;
    if (!user || !row)
      throw oauthError('invalid_token', 'The access token is unknown, expired or revoked.', 401, {
        'WWW-Authenticate': 'Bearer realm="OAuth", error="invalid_token"',
      });
    if (!row.scopes.includes('openid'))
      throw oauthError('insufficient_scope', 'The access token lacks the scope openid.', 403, {
        'WWW-Authenticate': 'Bearer realm="OAuth", error="insufficient_scope", scope="openid"',
      });
    const profile = {
      name: user.name,
      nickname: user.username,
      preferred_username: user.username,
      profile: `${externalUrl}/${user.username}`,
    };
    return {
      sub: String(user.id),
      ...(row.scopes.includes('profile') ? profile : {}),
      ...(row.scopes.includes('email') ? { email: user.email, email_verified: user.confirmed_at !== null } : {}),
    };
  }

  async function beginDevice(request: FastifyRequest): Promise<object> {
    const parameters = await bodyParameters(request);
    const application = await requireClient(db, request, parameters);
    const asked = parameters.scope === undefined ? application.scopes.join(' ') : parameters.scope;
    return await devices.begin(application, scopesOfClient(application, asked));
  }

  const metadata = {
    issuer: externalUrl,
    authorization_endpoint: `${externalUrl}/oauth/authorize`,
    token_endpoint: `${externalUrl}/oauth/token`,
    revocation_endpoint: `${externalUrl}/oauth/revoke`,
    introspection_endpoint: `${externalUrl}/oauth/introspect`,
    device_authorization_endpoint: `${externalUrl}/oauth/authorize_device`,
    userinfo_endpoint: `${externalUrl}/oauth/userinfo`,
    scopes_supported: applicationScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.keys(kinds),
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };

  const endpoint = (
    method: 'GET' | 'POST' | ('GET' | 'POST')[],
    url: string,
    answer: (request: FastifyRequest) => Promise<object>,
  ) => {
    server.route({
      method,
      url,
      exposeHeadRoute: false,
      // Signing in.
      ...duringMaintenance,
      handler: async (request, reply) => {
        neverCached(crossOrigin(reply));
        try {
          return sendJson(reply, await answer(request));
        } catch (error) {
          // What is not of OAuth, such as a body that is too large, is answered as everywhere.
          if (!(error instanceof HttpError) || !('error' in error.body)) throw error;
          for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
          return sendJson(reply, error.body, error.status);
        }
      },
    });
    server.options(url, (_request, reply) => crossOrigin(reply).code(204).send());
  };
  endpoint('POST', '/oauth/token', token);
  endpoint('POST', '/oauth/revoke', revoke);
  endpoint('POST', '/oauth/introspect', introspect);
  // Clients choose either (OpenID Connect Core, 5.3.1).
  endpoint(['GET', 'POST'], '/oauth/userinfo', userInfo);
  endpoint('GET', '/oauth/token/info', info);
  endpoint('POST', '/oauth/authorize_device', beginDevice);
  endpoint('GET', '/.well-known/oauth-authorization-server', async () => metadata);
}
