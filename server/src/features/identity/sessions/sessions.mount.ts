/** `/-/session`: signing in and out of the pages. Outside the API, because the API cannot make sessions. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject } from 'typebox';
import { type Appearance, picturePath } from '../../../kernel/appearance/index.ts';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { authenticate, cookie } from '../../../kernel/http/credentials.ts';
import {
  AnyJson,
  Count,
  Decimal,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import {
  forbidden,
  HttpError,
  invalidParameters,
  notFound,
  plainError,
  unauthorized,
} from '../../../kernel/http/errors.ts';
import { duringMaintenance, maintenanceIn } from '../../../kernel/http/maintenance.ts';
import { mergeParameters, readBody } from '../../../kernel/http/params/body.ts';
import { defaultParameterLimits, emptyObject } from '../../../kernel/http/params/nested.ts';
import { Bool, Int, JsonObject, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { validateParameters } from '../../../kernel/http/params/validate.ts';
import { serialiser } from '../../../kernel/http/serialise.ts';
import { cookieNames } from '../../../kernel/names.ts';
import type { ApplicationSettings, Settings } from '../../../kernel/settings/index.ts';
import { type Credentials, mayBeActedAs } from '../credentials/index.ts';
import type { Announcements } from '../ports.ts';
import type { TwoFactor } from '../two-factor/index.ts';
import { findUser, UserAccount, userAccount, withAccount } from '../users/index.ts';
import type { OpenSession, Refusal, Sessions } from './sessions.service.ts';

export interface SessionMountDependencies {
  readonly db: Db;
  readonly sessions: Sessions;
  readonly twoFactor: TwoFactor;
  readonly credentials: Credentials;
  readonly settings: Settings;
  readonly externalUrl: string;
  readonly signInRefusal: (login: string) => Promise<Error | null>;
  readonly announcements: Announcements;
  readonly appearance: Pick<Appearance, 'read' | 'messages'>;
  /** Whether administrators may act as others. */
  readonly impersonationEnabled: boolean;
}

const signInParameters = Type.Object({
  login: Str({ maxLength: 500 }),
  password: Str({ maxLength: 500 }),
  remember: Optional(Bool({ default: false })),
  accept_terms: Optional(Bool({ default: false })),
});
/** What those are told whose password is right and who do not get in; `reason` is for the page. */
const refusals: Readonly<Record<Refusal, string>> = {
  inactive: 'Your account is not active. Ask an administrator.',
  waits: 'Your account is pending approval by an administrator.',
  unconfirmed: 'Confirm your email address first: a message with a link was sent to it.',
  password_expired: 'Your password has expired. Choose a new one.',
  terms: 'Accept the terms of this instance first.',
};
function refused(reason: Refusal): HttpError {
  const body = { message: refusals[reason], reason };
  return new HttpError(403, body);
}
const account = Type.Object({ ...UserAccount.properties, is_admin: Type.Boolean() }, { additionalProperties: false });
/** A sign-in that waits for the second factor; it opens with `POST /-/session/two_factor`. */
const waiting = Fields({
  challenge: Text(),
  methods: ListOf(Word(['webauthn', 'totp', 'recovery_code'])),
  webauthn: AnyJson({ description: 'For `navigator.credentials.get`, null without a security key' }),
});
const SessionView = Entity('Session', {
  user: Nullable(account),
  two_factor: Nullable(waiting),
  two_factor_required_until: Nullable(
    Timestamp({ description: 'When nothing works any more without a second factor; null when nobody asks for one' }),
  ),
  admin: Flag({ description: 'Whether the session has the rights of an administrator now' }),
  admin_mode: Nullable(Flag({ description: 'Whether an administrator entered admin mode; null where nobody has to' })),
  impersonator: Nullable(Fields({ id: Id(), username: Text(), name: Text() })),
  impersonation_enabled: Flag({ description: 'Whether administrators may act as others' }),
  maintenance: Nullable(
    Fields({ message: Nullable(Text()) }, { description: 'Where nothing can be changed now: what everybody is told' }),
  ),
  announcements: Flag({ description: 'Whether `GET /broadcast_messages` has messages that are active now' }),
  appearance: Nullable(
    Fields({
      header_html: Text(),
      footer_html: Text(),
      background: Text(),
      color: Text(),
      logo: Nullable(Text({ description: 'Path of the logo in the navigation bar' })),
    }),
    { description: 'What administrators changed of the frame of all pages; null where it is nothing' },
  ),
  pages: Fields(
    {
      polling_interval_multiplier: Decimal({
        description: 'How much longer pages wait before they ask again; 0 for ever',
      }),
      jobs_per_stage: Count({ description: 'Jobs that the graph of a pipeline has in a column at first' }),
      suggest_pipeline: Flag({ description: 'Whether a merge request without pipelines suggests to set some up' }),
    },
    { description: 'What administrators set for all pages' },
  ),
  csrf_token: Nullable(Text({ description: 'To send as `X-CSRF-Token` with requests that change something' })),
});
const proofParameters = Type.Object({
  challenge: Str({ maxLength: 100 }),
  code: Optional(Str({ maxLength: 40 })),
  webauthn: Optional(JsonObject()),
});
const actParameters = Type.Object({ user_id: Int() });
const adminModeParameters = Type.Object({ password: Str({ maxLength: 500 }), code: Optional(Str({ maxLength: 40 })) });
type View = Omit<Static<typeof SessionView>, 'maintenance' | 'announcements' | 'appearance' | 'pages'>;
const nobody: View = {
  user: null,
  two_factor: null,
  two_factor_required_until: null,
  admin: false,
  admin_mode: null,
  impersonator: null,
  impersonation_enabled: false,
  csrf_token: null,
};
const serialise = serialiser(SessionView);
const limits = { ...defaultParameterLimits, maxParameterBytes: 100_000, maxFileBytes: 0, maxFiles: 0 };
/** How long a browser keeps the cookie of a remembered session; the server decides how long it is worth anything. */
const rememberedCookieSeconds = 365 * 86_400;

/** Browsers say where a request comes from; a page of another site must not sign anybody in. */
export function checkOrigin(request: FastifyRequest, externalUrl: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const ownSite = site === undefined || site === 'same-origin' || site === 'none';
  if (origin === undefined) {
    if (!ownSite) throw forbidden('the request comes from another site');
    return;
  }
  const own = URL.canParse(origin) && (new URL(origin).host === request.host || origin === new URL(externalUrl).origin);
  if (!own) throw forbidden('the request comes from another site');
}

/** An address as a header can carry it; one of this instance stays on the name by which it is reached. */
function addressFrom(next: string, externalUrl: string): string {
  const { origin, pathname, search, hash, href } = new URL(next, externalUrl);
  return origin === new URL(externalUrl).origin ? `${pathname}${search}${hash}` : href;
}

const pagesAs = (values: ApplicationSettings) => ({
  polling_interval_multiplier: values.polling_interval_multiplier,
  jobs_per_stage: values.jobs_per_stage_page_size,
  suggest_pipeline: values.suggest_pipeline_enabled,
});

/** What every page shows of the appearance; null where administrators left it as it is. */
async function frameOfPages(appearance: SessionMountDependencies['appearance']) {
  const [{ header_logo }, { header, footer, background, color }] = await Promise.all([
    appearance.read(),
    appearance.messages('pages'),
  ]);
  if (!header && !footer && header_logo === null) return null;
  return {
    ...{ header_html: header?.html ?? '', footer_html: footer?.html ?? '', background, color },
    logo: picturePath('header_logo', header_logo),
  };
}

type Known = Pick<Caller, 'admin' | 'impersonator'> & { readonly user: NonNullable<Caller['user']> };

/** The administrator behind a caller who acts as somebody else. */
function administratorOf({ impersonator, ...caller }: Caller): Caller {
  return impersonator ? { ...caller, user: impersonator } : caller;
}

export function mountSessions(server: FastifyInstance, deps: SessionMountDependencies): void {
  const { db, sessions, twoFactor, credentials, externalUrl } = deps;
  const secure = externalUrl.startsWith('https:') ? '; Secure' : '';

  const setCookie = (reply: FastifyReply, value: string, maxAgeSeconds: number | null) => {
    const age = maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`;
    reply.header('Set-Cookie', `${cookieNames[0]}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}${age}`);
  };
  const maintenance = maintenanceIn(deps.settings);
  const send = async (reply: FastifyReply, status: number, view: View) =>
    reply
      .code(status)
      .header('Content-Type', 'application/json')
      .header('Cache-Control', 'no-store')
      .send(
        serialise({
          ...view,
          maintenance: await maintenance(),
          announcements: await deps.announcements.active(db),
          appearance: await frameOfPages(deps.appearance),
          pages: pagesAs(await deps.settings.read()),
        }),
      );
  const callerOf = (request: FastifyRequest): Promise<Caller | null> =>
    authenticate(credentials, request, {}, ['session']);
  const sessionOf = ({ user, credential, ...more }: Caller, request: FastifyRequest): OpenSession | null =>
    user && credential.kind === 'session'
      ? {
          id: credential.sessionId,
          user,
          origin: originOf({ caller: { user, credential, ...more }, clientAddress: request.ip }),
        }
      : null;
  const view = async ({ user, admin, impersonator }: Known, token: string): Promise<View> => ({
    ...nobody,
    user: { ...userAccount(await withAccount(db, user), externalUrl), is_admin: user.admin },
    two_factor_required_until: impersonator ? null : await twoFactor.requiredUntil(user),
    admin: user.admin && admin,
    admin_mode: user.admin && !impersonator && (await deps.settings.read()).admin_mode ? admin : null,
    impersonator: impersonator
      ? { id: impersonator.id, username: impersonator.username, name: impersonator.name }
      : null,
    impersonation_enabled: user.admin && admin && deps.impersonationEnabled,
    csrf_token: credentials.csrfToken(token, { user, ...(impersonator ? { impersonator } : {}) }),
  });
  /** The session of a request; whoever has none is refused. */
  const present = async (request: FastifyRequest) => {
    const caller = await callerOf(request);
    const session = caller && sessionOf(caller, request);
    const token = cookie(request, cookieNames);
    if (!caller?.user || !session || token === undefined) throw unauthorized();
    return { caller: { ...caller, user: caller.user }, session, token };
  };
  const parameters = async <P extends TObject>(request: FastifyRequest, schema: P): Promise<Static<P>> => {
    const body = await readBody(request.raw, limits, '');
    const merged = mergeParameters(emptyObject(), body, {});
    return validateParameters(schema, merged.tree, merged.json) as Static<P>;
  };
  const from = (request: FastifyRequest) => ({
    ipAddress: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
  });
  const opened = async (
    reply: FastifyReply,
    { user, token }: { user: NonNullable<Caller['user']>; token: string },
    remember: boolean,
  ) => {
    setCookie(reply, token, remember ? rememberedCookieSeconds : null);
    return send(reply, 201, await view({ user, admin: !(await deps.settings.read()).admin_mode }, token));
  };

  server.post('/-/session', duringMaintenance, async (request, reply) => {
    checkOrigin(request, externalUrl);
    const values = await deps.settings.read();
    if (!values.password_authentication_enabled_for_web)
      throw plainError(403, 'Signing in with a password is switched off.');
    const params = await parameters(request, signInParameters);
    const { login, password, remember: wished = false, accept_terms: acceptTerms = false } = params;
    const refusal = await deps.signInRefusal(login);
    if (refusal) throw refusal;
    const remember = values.remember_me_enabled && wished;
    const result = await sessions.signIn({ login, password, remember, acceptTerms, ...from(request) });
    if (result.outcome === 'wrong') throw plainError(401, 'Invalid login or password.');
    if (result.outcome === 'second-factor')
      return send(reply, 200, { ...nobody, two_factor: await twoFactor.wait(result.user, remember) });
    if (result.outcome !== 'signed-in') throw refused(result.outcome);
    return opened(reply, result, remember);
  });

  server.post('/-/session/two_factor', duringMaintenance, async (request, reply) => {
    checkOrigin(request, externalUrl);
    const { challenge, code, webauthn } = await parameters(request, proofParameters);
    if ((code === undefined) === (webauthn === undefined))
      throw invalidParameters(['code, webauthn are mutually exclusive, exactly one parameter must be provided']);
    const result = await twoFactor.prove(challenge, { code, webauthn }, request.ip);
    if (result.outcome === 'expired') throw plainError(401, 'The sign-in took too long. Start again.');
    if (result.outcome === 'wrong') throw plainError(401, 'The second factor is wrong.');
    const { user, remember } = result;
    return opened(reply, await sessions.open(user, { remember, ...from(request) }), remember);
  });

  server.get('/-/session', async (request, reply) => {
    const caller = await callerOf(request);
    const token = cookie(request, cookieNames);
    if (!caller?.user || token === undefined) return send(reply, 200, nobody);
    return send(reply, 200, await view({ ...caller, user: caller.user }, token));
  });

  server.delete('/-/session', duringMaintenance, async (request, reply) => {
    const caller = await callerOf(request);
    const session = caller && sessionOf(administratorOf(caller), request);
    if (session) await sessions.signOut(session);
    setCookie(reply, '', 0);
    const { after_sign_out_path: next } = await deps.settings.read();
    if (next && URL.canParse(next, externalUrl)) reply.header('Location', addressFrom(next, externalUrl));
    return reply.code(204).header('Cache-Control', 'no-store').send();
  });

  server.post('/-/session/admin_mode', duringMaintenance, async (request, reply) => {
    const { caller, session, token } = await present(request);
    if (!caller.user.admin || caller.impersonator) throw forbidden();
    const { password, code } = await parameters(request, adminModeParameters);
    // The row as it is now: the caller's may be from before the second factor.
    const user = await findUser(db, caller.user.id);
    if (!user?.admin) throw forbidden();
    if (!(await sessions.passwordIsRight(user, password, request.ip))) throw plainError(401, 'The password is wrong.');
    if (user.two_factor_enabled && !(await twoFactor.checkCode(user, code ?? '', request.ip)))
      throw plainError(401, 'The second factor is wrong.');
    await sessions.enterAdminMode(session);
    return send(reply, 201, await view({ user, admin: true }, token));
  });

  server.delete('/-/session/admin_mode', duringMaintenance, async (request, reply) => {
    const { caller, session } = await present(request);
    if (caller.impersonator) throw forbidden();
    await sessions.leaveAdminMode(session);
    return reply.code(204).header('Cache-Control', 'no-store').send();
  });

  server.post('/-/session/impersonation', duringMaintenance, async (request, reply) => {
    const { caller, session, token } = await present(request);
    // Nobody is an administrator while they act as somebody: that is not for those either.
    if (!caller.admin) throw forbidden();
    if (!deps.impersonationEnabled) throw forbidden('Impersonation is disabled');
    const { user_id } = await parameters(request, actParameters);
    const user = await findUser(db, user_id);
    if (!user) throw notFound('User');
    if (user.id === caller.user.id) throw forbidden('you are this user');
    if (!mayBeActedAs(user)) throw forbidden('only active people can be impersonated');
    await sessions.actAs(session, user);
    return send(reply, 201, await view({ user, admin: false, impersonator: caller.user }, token));
  });

  server.delete('/-/session/impersonation', duringMaintenance, async (request, reply) => {
    const { caller, token } = await present(request);
    if (!caller.impersonator) throw notFound('Impersonation');
    const session = sessionOf(administratorOf(caller), request);
    if (session) await sessions.stopActing(session, caller.user);
    const again = await credentials.session(token, request.ip);
    return send(reply, 200, again?.user ? await view({ ...again, user: again.user }, token) : nobody);
  });
}
