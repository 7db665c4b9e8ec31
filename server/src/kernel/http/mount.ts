/** Puts declared routes on the HTTP server: authenticate, authorise, read, validate, handle, serialise, in this order. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import createRouter from 'find-my-way';
import Type, { type TObject } from 'typebox';
import type { Caller, Subject } from '../authz/subjects.ts';
import { anonymous } from '../authz/subjects.ts';
import { isMissingReference } from '../db/errors.ts';
import type { RateLimits } from '../rate-limits/index.ts';
import { etagMatches, etagOf, requireUnmodifiedSince } from './conditional.ts';
import { authenticate, type CredentialResolver, headerValue, requireScope } from './credentials.ts';
import { asRequest } from './current-request.ts';
import { forbidden, HttpError, invalidParameters, noSuchRoute, notFound, unauthorized } from './errors.ts';
import type { HeldBytes } from './held-bytes.ts';
import { duringMaintenance } from './maintenance.ts';
import { actorOf, movedAnswer } from './moved.ts';
import { pageHeaders } from './page-links.ts';
import { isPaged, type Page, pageOf, pagingParameters } from './pagination.ts';
import { type BodyLimits, mergeParameters, type ParsedBody, readBody } from './params/body.ts';
import { emptyObject, parseUrlEncoded, type RawObject } from './params/nested.ts';
import { validateParameters } from './params/validate.ts';
import { isFormerPath, isStranger, loadGroup, loadProject, type ParentLoader } from './parents.ts';
import {
  acceptedScopes,
  Binary,
  type Context,
  Empty,
  isAnswer,
  isStreamed,
  namesObjects,
  type Route,
} from './route.ts';
import { sendStream } from './send-stream.ts';
import { serialiser } from './serialise.ts';
import { handledStrictly, strictDifferences } from './strict.ts';

/** What mounting needs from the composition root. */
export interface MountDependencies {
  readonly resolver: CredentialResolver;
  readonly parents: ParentLoader;
  readonly rates: Pick<RateLimits, 'identified' | 'named'>;
  readonly limits: BodyLimits;
  /** Counts the bodies that are in memory. */
  readonly held: HeldBytes;
  /** Directory for uploads in flight, on the same file system as the object store. */
  readonly temporary: string;
  /** External URL without a trailing slash; links of pages start with it. */
  readonly externalUrl: string;
  /** The highest row that offset pages reach, as the administrator set it; 0 for no limit. */
  readonly maximumOffset: () => Promise<number>;
  /** Whether a request by a former path is sent to the numeric id, for `Project:ID` or `Group:ID`. */
  readonly redirectsMoved: (actor: string) => Promise<boolean>;
  /** In tests: answers that differ from their schema are faults instead of being trimmed to it. */
  readonly strict?: boolean;
}

const apiPrefix = '/api/v4';

/** The declared parameters of a route together with those of its paging. */
export function parametersOf(route: Route): TObject {
  return route.pagination
    ? Type.Object(
        { ...pagingParameters(route.pagination), ...route.params.properties },
        'x-rules' in route.params ? { 'x-rules': route.params['x-rules'] } : {},
      )
    : route.params;
}

/** Whoever should have set up a second factor by now does that first. */
function checkTwoFactor({ credential }: Caller): void {
  if (credential.kind === 'session' && credential.needsTwoFactor)
    throw forbidden('two-factor authentication has to be set up first');
}

/** Who the request asks to be, instead of the administrator whose token it carries. */
function wantedCaller(request: FastifyRequest, query: RawObject): string | undefined {
  const wanted = query.sudo ?? headerValue(request, 'sudo');
  if (wanted === undefined || wanted === '') return undefined;
  if (typeof wanted !== 'string') throw invalidParameters(['sudo is invalid']);
  return wanted;
}

/** The caller with everything that the credential itself decides: kind, scopes, and who it acts as. */
async function callerOf(
  route: Route,
  deps: MountDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  query: RawObject,
): Promise<Caller> {
  const identify = () => authenticate(deps.resolver, request, query, route.credentials, route.rotatesToken);
  const found = await deps.rates.identified(request, reply, 'api', identify, route);
  const caller = found ?? anonymous;
  const wanted = route.credentials.includes('body') ? undefined : wantedCaller(request, query);
  if (wanted === undefined) {
    requireScope(caller, acceptedScopes(route));
    if (!route.beforeTwoFactor) checkTwoFactor(caller);
    return caller;
  }
  const { method, path } = route;
  const scopes = acceptedScopes(route);
  return await deps.resolver.actAs(caller, wanted, { method, path, scopes, clientAddress: addressOf(request) });
}

async function authorise(
  route: Route,
  deps: MountDependencies,
  caller: Caller,
  path: Record<string, string>,
): Promise<Subject | undefined> {
  const access = route.access;
  const below = access.on === 'project' || access.on === 'group';
  // Nobody changes a project or a group without a credential, whatever their declaration lets everybody read.
  if (below && route.method !== 'GET' && isStranger(caller)) throw unauthorized();
  switch (access.on) {
    case 'public':
    case 'credential':
      return undefined;
    case 'instance':
      if (caller.user === null) throw unauthorized();
      if (access.ability === 'admin' && !caller.admin) throw forbidden();
      return undefined;
    case 'project':
      return loadProject(deps.parents, path[access.param ?? 'id'] ?? '', caller, access.ability);
    case 'group':
      return loadGroup(deps.parents, path[access.param ?? 'id'] ?? '', caller, access.ability);
  }
}

/** Why a request's signal is aborted; made once, because every request ends. */
const ended = new DOMException('The request has ended', 'AbortError');

const textOf = (value: string): string => value.slice(value.indexOf('?') + 1);
const queryOf = (request: FastifyRequest, limits: BodyLimits): RawObject =>
  request.url.includes('?') ? parseUrlEncoded(textOf(request.url), limits) : emptyObject();

/** The client's address for the log and rate limits: only trusted proxies may say another (Fastify's trustProxy). */
const addressOf = (request: FastifyRequest) => request.ip;

async function send(
  route: Route,
  deps: MountDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  page: Page | null,
  result: unknown,
): Promise<FastifyReply> {
  if (isStreamed(result)) return await sendStream(request, reply, result);
  let status = Number(Object.keys(route.responses)[0]);
  let body: unknown = result;
  if (isAnswer(result)) {
    status = result.status;
    body = result.body;
    for (const [name, value] of Object.entries(result.headers ?? {})) reply.header(name, value);
  }
  if (isPaged(body) && page) {
    const address = { externalUrl: deps.externalUrl, target: request.url };
    for (const [name, value] of Object.entries(pageHeaders(page, body, address))) reply.header(name, value);
    body = body.items;
  }
  reply.code(status);
  const schema = route.responses[status];
  if (schema === undefined)
    throw new Error(`${route.method} ${route.path} answered ${status}, which it does not declare`);
  if (schema === Empty) return reply.send();
  // The handler found it, and nothing of it a moment later: somebody deleted it in between.
  if (body === undefined) throw notFound();
  if (schema === Binary) throw new Error(`${route.method} ${route.path} declares a binary answer and gave none`);
  if (deps.strict) {
    const found = strictDifferences(schema, body);
    if (found.length > 0) throw new Error(`${route.method} ${route.path} answered ${status}: ${found.join('; ')}`);
  }
  // Bytes at once: the hash, the length and the socket each would make them of a text anew.
  const text = Buffer.from(serialiser(schema)(body));
  if (route.method === 'GET' && status === 200) {
    const etag = etagOf(text);
    reply.header('ETag', etag);
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
  }
  return reply.header('Content-Type', 'application/json').send(text);
}

/** Parts of names of entities that say which form of a thing it is. */
const forms = /(?<=[a-z])(?:View|Basic|Detail|Details|Simple|Entry|Listed|Summary)$/;

/** What a list is a list of: the name of its entity, without the form that it is shown in. */
function nounOf(route: Route): string {
  const title = (schema: unknown): string | undefined => {
    if (typeof schema !== 'object' || schema === null) return undefined;
    const node = schema as { title?: string; items?: unknown; anyOf?: readonly unknown[] };
    return node.title ?? title(node.items) ?? title(node.anyOf?.[0]);
  };
  return (title(route.responses[200]) ?? route.tag).replace(forms, '');
}

/** A route with what follows from its declaration, made when it is first used. */
interface Mounted {
  readonly route: Route;
  readonly schema: TObject;
  readonly noun: string;
}

/** The part of a list that the request asks for; null on routes that are no lists. */
async function windowOf(
  { route, noun }: Mounted,
  params: Readonly<Record<string, unknown>>,
  deps: MountDependencies,
): Promise<Page | null> {
  if (!route.pagination) return null;
  return pageOf(route.pagination, params, { maximumOffset: await deps.maximumOffset(), noun });
}

async function limitsOf({ maxFileBytes }: Route, { limits }: MountDependencies): Promise<BodyLimits> {
  if (maxFileBytes === undefined) return limits;
  return typeof maxFileBytes === 'number'
    ? { ...limits, maxFileBytes }
    : { ...limits, maxFileBytes: await maxFileBytes.bytes(), fileLimitName: maxFileBytes.setting };
}

/** What a list leaves out because it is closed to where the request comes from. A group by itself lists projects, too. */
async function closedTo(route: Route, deps: MountDependencies, address: string): Promise<Pick<Caller, 'closedGroups'>> {
  const lists = (route.pagination !== undefined || route.access.on === 'group') && !route.listsPeople;
  const closedGroups = lists ? ((await deps.parents.closedTo?.(address)) ?? []) : [];
  return closedGroups.length > 0 ? { closedGroups } : {};
}

const isFault = (error: unknown): boolean => !(error instanceof HttpError) || error.status >= 500;

/**
 * Whose project or group was deleted, moved out of sight or closed to them while the request ran hears that, instead of the
 * fault that came of it: its files are missing, its rows are gone.
 */
async function stillThere(
  route: Route,
  deps: MountDependencies,
  caller: Caller,
  request: FastifyRequest,
  fault: unknown,
): Promise<void> {
  const refusal = await authorise(route, deps, caller, request.params as Record<string, string>).then(
    () => null,
    (error: unknown) => (isFault(error) ? null : error),
  );
  if (refusal === null) return;
  request.log.warn({ err: fault }, 'what the request names was deleted meanwhile');
  throw refusal;
}

async function run(
  mounted: Mounted,
  deps: MountDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { route, schema } = mounted;
  const query = queryOf(request, deps.limits);
  const path = request.params as Record<string, string>;
  // `/users/` is not the user without a name; only the rest that `*` catches may be empty.
  if (Object.entries(path).some(([name, value]) => value === '' && name !== '*')) throw noSuchRoute();
  const address = addressOf(request);
  const identified = { ...(await callerOf(route, deps, request, reply, query)), address };
  const [subject, closed] = await Promise.all([
    authorise(route, deps, identified, path),
    closedTo(route, deps, address),
  ]);
  const caller: Caller = { ...identified, ...closed };
  if (route.acrossProjects && !((await deps.parents.readsAcross?.(caller)) ?? true))
    throw forbidden('content of several projects is not shown together while access to each is decided elsewhere');
  if (subject && (route.access.on === 'project' || route.access.on === 'group')) {
    const name = route.access.param ?? 'id';
    // Authorised first: nobody learns the id of what they may not see.
    if (isFormerPath(subject, path[name] ?? '') && (await deps.redirectsMoved(actorOf(subject))))
      return movedAnswer(request, reply, {
        subject,
        path: apiPrefix + route.path,
        name,
        externalUrl: deps.externalUrl,
      });
  }
  const holding = deps.held.hold(caller.user === null ? 'anonymous' : 'identified');
  const limits = { ...(await limitsOf(route, deps)), holding };
  let body: ParsedBody | null = null;
  const abort = new AbortController();
  const gone = () => abort.abort(ended);
  reply.raw.once('close', gone);
  try {
    body = route.rawBody
      ? { tree: emptyObject(), json: false, cleanup: async () => undefined }
      : await readBody(request.raw, limits, deps.temporary);
    const merged = mergeParameters(query, body, path);
    const params = validateParameters(schema, merged.tree, merged.json);
    if (route.rate) await deps.rates.named(route, { caller, subject, params, request }, reply);
    const page = await windowOf(mounted, params, deps);
    const context = {
      params,
      given: merged.tree,
      caller,
      subject,
      page,
      signal: abort.signal,
      requestId: request.id,
      clientAddress: address,
      request,
      header: (name: string, value: string) => {
        reply.header(name, value);
      },
      unmodifiedSince: (changedAt: Date | null) =>
        requireUnmodifiedSince(request.headers['if-unmodified-since'], changedAt),
    } as unknown as Context;
    // A credential that only the handler knows is none of a stranger.
    const stranger = caller.user === null && route.access.on !== 'credential';
    const signal = route.method === 'GET' ? abort.signal : null;
    const work = { anonymous: stranger, signal, clientAddress: address };
    // What is streamed is opened while it is sent: that too is the request's.
    return await asRequest(work, async () => {
      const result = await (deps.strict ? handledStrictly(route, context) : route.handler(context));
      return await send(route, deps, request, reply, page, result);
    });
  } catch (error) {
    if (subject && isFault(error)) await stillThere(route, deps, caller, request, error);
    // Where nothing is named, it is the caller that was removed meanwhile.
    const missing = isMissingReference(error) || (error instanceof HttpError && error.status === 404);
    throw missing && caller.user && !namesObjects(route) ? unauthorized() : error;
  } finally {
    holding.release();
    if (body) await body.cleanup();
  }
}

/** Mounts all routes below `/api/v4`. Schemas are compiled when a route is first used. */
export function mountRoutes(server: FastifyInstance, routes: readonly Route[], deps: MountDependencies): void {
  for (const route of routes) {
    if (!route.checked) throw new Error(`route ${route.method} ${route.path} was not declared through route()`);
    let mounted: Mounted | undefined;
    server.route({
      // HEAD is ours, because the framework's would read a streamed body to its end.
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      exposeHeadRoute: false,
      url: apiPrefix + route.path,
      ...(route.duringMaintenance ? duringMaintenance : {}),
      handler: (request, reply) => {
        mounted ??= { route, schema: parametersOf(route), noun: nounOf(route) };
        return run(mounted, deps, request, reply);
      },
    });
  }
}

/**
 * Tells which methods a path answers, for 405 and `Allow`. Built when the first request finds no route, because most
 * processes never need it.
 */
export function methodsOfPath(routes: readonly Route[]): (path: string) => readonly string[] {
  let routers: Map<string, ReturnType<typeof createRouter>> | undefined;
  const build = () => {
    const built = new Map<string, ReturnType<typeof createRouter>>();
    for (const route of routes) {
      let router = built.get(route.method);
      if (!router) {
        router = createRouter({ maxParamLength: 8192 });
        built.set(route.method, router);
      }
      router.on('GET', apiPrefix + route.path, () => undefined);
    }
    return built;
  };
  return (path) => {
    routers ??= build();
    const found = [...routers].filter(([, router]) => router.find('GET', path) !== null).map(([method]) => method);
    return found.includes('GET') ? ['HEAD', ...found] : found;
  };
}
