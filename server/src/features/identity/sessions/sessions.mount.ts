/** `/-/session`: signing in and out of the pages. Outside the API, because the API cannot make sessions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { authenticate, cookie } from '../../../kernel/http/credentials.ts';
import { Entity, Nullable, Text } from '../../../kernel/http/entity.ts';
import { forbidden, plainError, unavailable } from '../../../kernel/http/errors.ts';
import { mergeParameters, readBody } from '../../../kernel/http/params/body.ts';
import { emptyObject } from '../../../kernel/http/params/nested.ts';
import { Bool, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { serialiser } from '../../../kernel/http/serialise.ts';
import { cookieNames } from '../../../kernel/names.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import type { Credentials } from '../credentials/index.ts';
import { TooManyPasswordChecks } from '../passwords/index.ts';
import { UserAccount, userAccount } from '../users/index.ts';
import type { Sessions } from './sessions.service.ts';

export interface SessionMountDependencies {
  readonly sessions: Sessions;
  readonly credentials: Credentials;
  readonly settings: Settings;
  readonly externalUrl: string;
  readonly signInRefusal: (login: string) => Promise<Error | null>;
}

const signInParameters = Type.Object({
  login: Str({ maxLength: 500 }),
  password: Str({ maxLength: 500 }),
  remember: Optional(Bool({ default: false })),
});
const account = Type.Object({ ...UserAccount.properties, is_admin: Type.Boolean() }, { additionalProperties: false });
const SessionView = Entity('Session', {
  user: Nullable(account),
  csrf_token: Nullable(Text({ description: 'To send as `X-CSRF-Token` with requests that change something' })),
});
const serialise = serialiser(SessionView);
const limits = { maxParameterBytes: 10_000, maxFileBytes: 0 };
/** How long a browser keeps the cookie of a remembered session; the server decides how long it is worth anything. */
const rememberedCookieSeconds = 365 * 86_400;

/** Browsers say where a request comes from; a page of another site must not sign anybody in. */
function checkOrigin(request: FastifyRequest, externalUrl: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const ownSite = site === undefined || site === 'same-origin' || site === 'none';
  if (origin === undefined) {
    if (!ownSite) throw forbidden('the request comes from another site');
    return;
  }
  const own = URL.canParse(origin) && (new URL(origin).host === request.host || origin === new URL(externalUrl).origin);
  if (!own) throw forbidden('the request comes from another site');
}

export function mountSessions(server: FastifyInstance, deps: SessionMountDependencies): void {
  const { sessions, credentials, externalUrl } = deps;
  const secure = externalUrl.startsWith('https:') ? '; Secure' : '';

  const setCookie = (reply: FastifyReply, value: string, maxAgeSeconds: number | null) => {
    const age = maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`;
    reply.header('Set-Cookie', `${cookieNames[0]}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`);
  };
  const send = (reply: FastifyReply, status: number, view: Static<typeof SessionView>) =>
    reply
      .code(status)
      .header('Content-Type', 'application/json')
      .header('Cache-Control', 'no-store')
      .send(serialise(view));
  const callerOf = (request: FastifyRequest): Promise<Caller | null> =>
    authenticate(credentials, request, {}, ['session']);
  const view = (user: NonNullable<Caller['user']>) => ({ ...userAccount(user, externalUrl), is_admin: user.admin });

  server.post('/-/session', async (request, reply) => {
    checkOrigin(request, externalUrl);
    const values = await deps.settings.read();
    if (!values.password_authentication_enabled_for_web)
      throw plainError(403, 'Signing in with a password is switched off.');
    const body = await readBody(request.raw, limits, '');
    const merged = mergeParameters(emptyObject(), body, {});
    const params = validateParameters(signInParameters, merged.tree, merged.json) as Static<typeof signInParameters>;
    const refusal = await deps.signInRefusal(params.login);
    if (refusal) throw refusal;
    const remember = values.remember_me_enabled && (params.remember ?? false);
    const result = await sessions
      .signIn({
        login: params.login,
        password: params.password,
        remember,
        ipAddress: request.ip,
        userAgent: request.headers['user-agent'] ?? null,
      })
      .catch((error: unknown) => {
        throw error instanceof TooManyPasswordChecks ? unavailable('too many sign-ins at once') : error;
      });
    if (result.outcome === 'wrong') throw plainError(401, 'Invalid login or password.');
    if (result.outcome === 'inactive') throw plainError(403, 'Your account is not active. Ask an administrator.');
    setCookie(reply, result.token, remember ? rememberedCookieSeconds : null);
    return send(reply, 201, { user: view(result.user), csrf_token: credentials.csrfToken(result.token) });
  });

  server.get('/-/session', async (request, reply) => {
    const caller = await callerOf(request);
    const token = cookie(request, cookieNames);
    if (!caller?.user || token === undefined) return send(reply, 200, { user: null, csrf_token: null });
    return send(reply, 200, { user: view(caller.user), csrf_token: credentials.csrfToken(token) });
  });

  server.delete('/-/session', async (request, reply) => {
    const caller = await callerOf(request);
    if (caller?.credential.kind === 'session') await sessions.signOut(caller.credential.sessionId);
    setCookie(reply, '', 0);
    return reply.code(204).header('Cache-Control', 'no-store').send();
  });
}
