/** Rate limits: which apply to a request, counted over all processes, refused with 429. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Caller } from '../authz/subjects.ts';
import type { Db } from '../db/index.ts';
import { authenticate, type CredentialResolver } from '../http/credentials.ts';
import { HttpError } from '../http/errors.ts';
import { type CronItem, defineTask, type Task } from '../queue/index.ts';
import { equalSecrets } from '../secrets/index.ts';
import { type ApplicationSettings, defaultSettings, type Settings } from '../settings/index.ts';
import { addressUnit } from './address.ts';
import { rateHeaders, requestedTooOften, throttled } from './answers.ts';
import { type Count, type CountersOptions, createCounters } from './counters.ts';
import { deleteEndedWindows, leaseOver } from './leases.queries.ts';
import { type LimitName, namedLimits, type RateFacts } from './limits.ts';
import { type RequestClass, throttlesOf } from './throttles.ts';

export { addressUnit } from './address.ts';
export type { LimitName, RateFacts } from './limits.ts';
export { rateUsage } from './usage.queries.ts';

/** The part of a route's declaration that limits look at. */
export interface RatedRoute {
  readonly path: string;
  readonly rate?: LimitName | readonly LimitName[];
}

export interface RateLimits {
  /**
   * Finds out who calls, and counts the request in the general limits: for the user, or for the address where the caller
   * is anonymous or the credential is bad. Throws 429, or what `find` throws.
   */
  identified(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: RequestClass,
    find: () => Promise<Caller | null>,
    route?: RatedRoute,
  ): Promise<Caller | null>;
  /** Counts the request in the limits that its route names. Throws 429. */
  named(route: RatedRoute, facts: RateFacts, reply: FastifyReply): Promise<void>;
  /** Counts what no route's declaration can tell in one named limit; the refusal when it is used up. */
  within(name: LimitName, facts: RateFacts): Promise<HttpError | null>;
  /** Counts what neither routes nor git count: pages, sessions, paths that do not exist. */
  mount(server: FastifyInstance, routes: readonly RatedRoute[], resolver: CredentialResolver): void;
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
}

export interface RateLimitsDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly log: CountersOptions['log'];
  /** The token by which the built-in runner is known: it is part of the service and not limited. */
  readonly builtInRunnerToken: string;
}

const apiPrefix = '/api/v4';
const filesPath = '/projects/:id/repository/files/';
const packagesPath = /^\/(projects|groups)\/:id\/packages(\/|$)/;
/** Answers that cost nothing: probes, and files that are the same for everybody. */
const uncounted = /^\/(-\/(health|liveness|readiness|metrics)|assets\/)/;
/** Counted by the transport, which knows who fetches. */
const gitPath = /^\/-\/(git|lfs)\//;

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '/';
const listOf = (rate: RatedRoute['rate']): readonly LimitName[] =>
  rate === undefined ? [] : typeof rate === 'string' ? [rate] : rate;
function classOf(kind: RequestClass, route: RatedRoute | undefined): RequestClass {
  if (route?.path.startsWith(filesPath)) return 'files_api';
  return route && packagesPath.test(route.path) ? 'packages_api' : kind;
}
/** General limits leave alone what has a row of its own instead. */
const standsAlone = (route: RatedRoute | undefined) => listOf(route?.rate).some((name) => namedLimits[name].instead);

export function createRateLimits(deps: RateLimitsDependencies): RateLimits {
  const counters = createCounters({ lease: leaseOver(deps.db), log: deps.log });
  let known: ApplicationSettings = defaultSettings;

  /** The values as they are; the last ones known while the database does not answer. */
  async function settings(): Promise<ApplicationSettings> {
    try {
      known = await deps.settings.read();
    } catch {
      // The request itself will say so if it needs the database.
    }
    return known;
  }

  const builtIn = (request: FastifyRequest): boolean => {
    const given = request.headers['runner-token'];
    return typeof given === 'string' && equalSecrets(given, deps.builtInRunnerToken);
  };

  async function throttle(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: RequestClass,
    caller: Caller | null,
  ): Promise<void> {
    const values = await settings();
    const found = throttlesOf({ kind, caller, method: request.method, path: pathOf(request) }, values);
    if (found.length === 0) return;
    const subject = caller?.user ? `user:${caller.user.id}` : `address:${addressUnit(request.ip)}`;
    for (const each of found) {
      const requests = each.requests(values);
      if (requests <= 0) continue;
      const count = await counters.take(each.name, subject, requests, each.seconds(values));
      if (!count.allowed) throw throttled(each.name, count, values.rate_limiting_response_text ?? '');
      reply.headers(rateHeaders(each.name, count));
    }
  }

  async function take(name: LimitName, facts: RateFacts): Promise<Count | null> {
    const row = namedLimits[name];
    const values = await settings();
    const limit = values[row.setting];
    const subject = limit > 0 ? row.by(facts) : null;
    if (subject === null) return null;
    const username = facts.caller.user?.username.toLowerCase();
    if (row.allowlist && username !== undefined && values[row.allowlist].includes(username)) return null;
    return await counters.take(name, subject, limit, row.seconds);
  }

  async function identified(
    request: FastifyRequest,
    reply: FastifyReply,
    kind: RequestClass,
    find: () => Promise<Caller | null>,
    route?: RatedRoute,
  ): Promise<Caller | null> {
    if (standsAlone(route)) return find();
    let caller: Caller | null;
    try {
      caller = await find();
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) await throttle(request, reply, kind, null);
      throw error;
    }
    if (!builtIn(request)) await throttle(request, reply, kind, caller);
    return caller;
  }

  const sweep = defineTask('rate_limits.delete_ended', Type.Object({}), () => deleteEndedWindows(deps.db), {
    maxAttempts: 1,
  });

  return {
    identified: (request, reply, kind, find, route) => identified(request, reply, classOf(kind, route), find, route),
    async named(route, facts, reply) {
      const names = listOf(route.rate);
      if (names.length === 0 || (facts.request && builtIn(facts.request))) return;
      const address = addressUnit(facts.request?.ip ?? '');
      for (const name of names) {
        const count = await take(name, { ...facts, address });
        if (count === null) continue;
        if (!count.allowed) throw requestedTooOften(name, count);
        reply.headers(rateHeaders(name, count));
      }
    },
    async within(name, facts) {
      const count = await take(name, facts);
      return count === null || count.allowed ? null : requestedTooOften(name, count);
    },
    mount(server, routes, resolver) {
      const declared = new Set(routes.map((route) => apiPrefix + route.path));
      const count = async (request: FastifyRequest, reply: FastifyReply, path: string): Promise<void> => {
        const kind = path.startsWith('/api/') ? 'api' : 'web';
        const values = await settings();
        // Who calls is asked only when somebody wants to know: most installations count no pages.
        const probe = { kind, method: request.method, path } as const;
        const counted =
          throttlesOf({ ...probe, caller: null }, values).length > 0 ||
          values.throttle_authenticated_web_enabled ||
          (kind === 'api' && values.throttle_authenticated_api_enabled);
        if (!counted) return;
        const caller = await authenticate(resolver, request, {}, ['token', 'session']).catch(() => null);
        await throttle(request, reply, kind, caller);
      };
      server.addHook('onRequest', (request, reply, done) => {
        const url = request.routeOptions.url;
        const path = pathOf(request);
        if ((url !== undefined && declared.has(url)) || uncounted.test(path) || gitPath.test(path)) done();
        else count(request, reply, path).then(() => done(), done);
      });
    },
    tasks: [sweep],
    cron: [{ schedule: '* * * * *', task: sweep.name }],
  };
}
