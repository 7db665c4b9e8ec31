/** What people meet: the request of an application in their browser, and the code of a device. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { OauthApplication, User } from '../../../kernel/db/rows.ts';
import { authenticate } from '../../../kernel/http/credentials.ts';
import { forbidden, HttpError, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { ownerName } from '../applications/index.ts';
import type { Credentials } from '../credentials/index.ts';
import { checkOrigin } from '../sessions/index.ts';
import type { Authorize, Prepared } from './authorize.service.ts';
import type { Devices } from './devices.service.ts';
import { bodyParameters, neverCached, type Parameters, queryParameters, required, sendJson } from './requests.ts';
import { scopeMeanings } from './scopes.ts';

export interface ConsentMountDependencies {
  readonly db: Db;
  readonly credentials: Credentials;
  readonly authorize: Authorize;
  readonly devices: Devices;
  /** Counts a guess; why it is refused, null when it is not. */
  readonly signInRefusal: (login: string) => Promise<Error | null>;
  /** Answers with the document of the pages; false where there is none or the client wants no page. */
  readonly page: (request: FastifyRequest, reply: FastifyReply) => boolean;
  /** Without a trailing slash. */
  readonly externalUrl: string;
}

const requestNames = new Set(
  'client_id redirect_uri response_type response_mode scope state code_challenge code_challenge_method'.split(' '),
);
/** The request again, for after the sign-in: nothing else that stood in the address goes on. */
function sameRequest(url: string): string {
  const given = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  return `/oauth/authorize?${new URLSearchParams([...given].filter(([name]) => requestNames.has(name)))}`;
}

/** Where the browser goes, as a person reads it. */
const hostOf = (redirectUri: string): string => {
  const { protocol, host } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : `the program for ${protocol}`;
};

export function mountConsent(server: FastifyInstance, deps: ConsentMountDependencies): void {
  const { db, credentials, authorize, devices, externalUrl } = deps;

  const signedIn = async (request: FastifyRequest): Promise<{ caller: Caller; user: User } | null> => {
    const caller = await authenticate(credentials, request, {}, ['session']);
    return caller?.user ? { caller, user: caller.user } : null;
  };
  /** The person at a page of this instance: other sites can neither send this nor read the answer. */
  const person = async (request: FastifyRequest): Promise<{ caller: Caller; user: User }> => {
    checkOrigin(request, externalUrl);
    const found = await signedIn(request);
    if (!found) throw unauthorized();
    const { credential } = found.caller;
    if (credential.kind === 'session' && credential.needsTwoFactor)
      throw forbidden('two-factor authentication has to be set up first');
    return found;
  };
  const applicationView = async (application: OauthApplication) => ({
    name: application.name,
    /** Who registered it; null for an administrator. */
    owner: await ownerName(db, application),
    created_at: application.created_at,
    confidential: application.confidential,
  });
  const view = async (prepared: Prepared) =>
    prepared.kind === 'refused'
      ? { location: prepared.location }
      : {
          ask: prepared.kind === 'ask',
          application: await applicationView(prepared.request.application),
          redirect_host: hostOf(prepared.request.redirectUri),
          scopes: scopeMeanings(prepared.request.scopes),
        };

  server.route({
    method: 'GET',
    url: '/oauth/authorize',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      neverCached(reply);
      const found = await signedIn(request);
      // Before anything else: an address with somebody's errors in it must not send visitors anywhere.
      if (!found) return reply.redirect(`/users/sign_in?return_to=${encodeURIComponent(sameRequest(request.url))}`);
      const { caller, user } = found;
      const { credential } = caller;
      const waits = credential.kind === 'session' && credential.needsTwoFactor;
      const toPage = () => deps.page(request, reply);
      try {
        if (waits && toPage()) return reply;
        if (waits) throw forbidden('two-factor authentication has to be set up first');
        const prepared = await authorize.prepare(queryParameters(request.url), user);
        if (prepared.kind === 'refused') return reply.redirect(prepared.location);
        if (prepared.kind === 'go') {
          const origin = originOf({ caller, clientAddress: request.ip });
          return reply.redirect(await authorize.approve(prepared.request, user, origin));
        }
        if (toPage()) return reply;
        return sendJson(reply, await view(prepared));
      } catch (error) {
        // The page asks again and says what is wrong.
        if (error instanceof HttpError && toPage()) return reply;
        throw error;
      }
    },
  });

  server.get('/-/oauth/authorization', async (request, reply) => {
    const { user } = await person(request);
    return sendJson(reply, await view(await authorize.prepare(queryParameters(request.url), user)));
  });

  const answered =
    (agreed: boolean) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { caller, user } = await person(request);
      const prepared = await authorize.prepare(await bodyParameters(request), user);
      if (prepared.kind === 'refused') return sendJson(reply, { location: prepared.location });
      const location = agreed
        ? await authorize.approve(prepared.request, user, originOf({ caller, clientAddress: request.ip }))
        : authorize.deny(prepared.request);
      return sendJson(reply, { location });
    };
  server.post('/oauth/authorize', answered(true));
  server.delete('/oauth/authorize', answered(false));

  const typed = async (request: FastifyRequest) => {
    const { caller, user } = await person(request);
    const parameters: Parameters = await bodyParameters(request);
    const code = required(parameters, 'user_code');
    const refusal = await deps.signInRefusal(`a device of user ${user.id}`);
    if (refusal) throw refusal;
    return { user, code, origin: originOf({ caller, clientAddress: request.ip }) };
  };
  server.post('/-/oauth/device', async (request, reply) => {
    const { user, code } = await typed(request);
    const found = await devices.look(code, user);
    if (!found) throw notFound('Device');
    return sendJson(reply, {
      application: await applicationView(found.application),
      scopes: scopeMeanings(found.scopes),
    });
  });
  const settle =
    (agreed: boolean) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const { user, code, origin } = await typed(request);
      if (!(await devices.settle(code, user, agreed, origin))) throw notFound('Device');
      return sendJson(reply, { authorized: agreed });
    };
  server.post('/oauth/device', settle(true));
  server.delete('/oauth/device', settle(false));
}
