/**
 * The declaration of a route: everything that the edge does for it follows from this object. Validation, serialisation,
 * OpenAPI, denial tests and the permission page are made from it; an incomplete declaration does not start the server.
 */
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { GroupAbility, InstanceAbility, ProjectAbility } from '../authz/abilities.ts';
import type { Caller, GroupSubject, ProjectSubject } from '../authz/subjects.ts';
import type { LimitName } from '../rate-limits/limits.ts';
import type { Page, Paged, PagingStyle } from './pagination.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What proves who the caller is. `token`: access tokens in all transports; `session`: the cookie (with CSRF protection
 * for unsafe methods); `job`: the token of a running job; `deploy`: a deploy token, and any token as the password of
 * Basic authentication, as tools of packages send them; `body`: a token among the parameters that the handler checks
 * itself (runner and trigger tokens), headers are then not read as credentials.
 */
export type CredentialKind = 'token' | 'session' | 'job' | 'deploy' | 'body';

/**
 * Who may call. `public`: anybody, with or without credentials; `signed_in` and `admin`: on the instance; a pair names
 * an ability on the project or group that the path's parent parameter identifies, loaded and checked before the handler.
 */
export type Access =
  | { readonly on: 'public' }
  | { readonly on: 'instance'; readonly ability: InstanceAbility }
  | { readonly on: 'project'; readonly ability: ProjectAbility; readonly param?: string }
  | { readonly on: 'group'; readonly ability: GroupAbility; readonly param?: string }
  /** The handler's own check of the credential named: a token in the body, or the job that the token belongs to. */
  | { readonly on: 'credential' };

/** A body, or how it is opened: HEAD and an unchanged body never open it. */
export type StreamSource = Readable | (() => Promise<Readable>);

export interface Streamed {
  readonly stream: StreamSource;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** Marks a success without the declared default status or with headers of its own. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const answers = new WeakSet<object>();
const streams = new WeakSet<object>();

/** An answer with another declared status or extra headers. */
export function answer(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): Answer {
  const value: Answer = { status, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) };
  answers.add(value);
  return value;
}

/** Seconds in which a client follows to the object storage; a download that has begun goes on. */
export const redirectSeconds = 300;

/** Sends the client on to an address of the object storage, which nobody else may be told; the route declares 302. */
export const elsewhere = (address: string): Answer =>
  answer(302, undefined, { Location: address, 'Cache-Control': 'no-store' });

/**
 * A body that is streamed as it is; only on routes that declare a binary response. With an `ETag` among the headers the
 * edge answers 304 to whoever has it.
 */
export function streamed(
  stream: StreamSource,
  type: string,
  headers?: Readonly<Record<string, string>>,
  status = 200,
): Streamed {
  const value: Streamed = { stream, type, status, ...(headers ? { headers } : {}) };
  streams.add(value);
  return value;
}

export const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && answers.has(value);
export const isStreamed = (value: unknown): value is Streamed =>
  typeof value === 'object' && value !== null && streams.has(value);

/** A response without a JSON schema. */
export const Empty = 'empty';
export const Binary = 'binary';
export type ResponseSpec = TSchema | typeof Empty | typeof Binary;

type SubjectOf<A extends Access> = A extends { on: 'project' }
  ? ProjectSubject
  : A extends { on: 'group' }
    ? GroupSubject
    : undefined;

/** What a handler gets. */
export interface Context<P extends TObject = TObject, A extends Access = Access> {
  readonly params: Static<P>;
  /** All parameters as they came, declared or not: text from the query, path and forms, values from JSON. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly subject: SubjectOf<A>;
  /** The window of a list; only on routes that declare `pagination`. */
  readonly page: Page;
  /** Aborted when the client goes away or the server stops. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly clientAddress: string;
  readonly request: FastifyRequest;
  /** Sets a header of the answer. */
  header(name: string, value: string): void;
  /**
   * For deletes: 412 when the client's `If-Unmodified-Since` is before the last change of what is deleted. Asked before
   * anything happens; null where no change is known.
   */
  unmodifiedSince(changedAt: Date | null): void;
}

/** What a route may answer beyond the refusals that every route can give; 404 where neither path nor parameters name an object. */
export type DeclaredError = 404 | 405 | 409 | 412 | 416 | 422;

export interface RouteSpec<P extends TObject = TObject, A extends Access = Access> {
  readonly method: Method;
  /** Below `/api/v4`, in the router's form: `/projects/:id/repository/branches/:branch`; a trailing `*` catches the rest as `path`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  readonly credentials: readonly CredentialKind[];
  /** A token needs one of these; the defaults are `api`, and `read_api` for GET. */
  readonly scopes?: readonly string[];
  readonly access: A;
  readonly params: P;
  readonly pagination?: PagingStyle;
  /** Success responses by status; the first is the default. */
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Media types of a binary answer. */
  readonly media?: readonly string[];
  /**
   * Set, to the media type, where the handler reads the body itself as a stream; parameters then come from path and query
   * only. In `multipart/form-data` it is the field `file`.
   */
  readonly rawBody?: string;
  /** Another size limit of one uploaded file, in bytes; one that a setting gives is asked for per request. */
  readonly maxFileBytes?: number | { readonly setting: string; bytes(): Promise<number> };
  /** Limits of its own, besides the general ones: rows of kernel/rate-limits. */
  readonly rate?: LimitName | readonly LimitName[];
  readonly deprecated?: true;
  /** Also during maintenance, where nothing is changed. */
  readonly duringMaintenance?: true;
  /** Shows content of several projects at once: closed while an external service is asked about each project. */
  readonly acrossProjects?: true;
  /** Lists nothing but people: no group that is closed to where the request comes from has a part in it, and none is asked for. */
  readonly listsPeople?: true;
  /** Also for sessions of people who have to set up a second factor before anything else. */
  readonly beforeTwoFactor?: true;
  /** Refusals of this route's own. In tests an undeclared one is a fault. */
  readonly errors?: readonly DeclaredError[];
  /** On DELETE: true when the handler asks `unmodifiedSince`; where nothing has a date of change, why not. */
  readonly conditional?: true | string;
  /** The token that the request carries is rotated here: one that was revoked before ends its whole family. */
  readonly rotatesToken?: true;
  handler(context: Context<P, A>): Promise<unknown>;
}

/** A checked declaration, its types erased for the list that the server mounts. */
export type Route = RouteSpec & { readonly checked: true };

const pathParameter = /:([a-z_]+)/g;

interface Documented {
  readonly deprecated?: boolean;
  readonly description?: string;
}

function problems(spec: RouteSpec): string[] {
  const found: string[] = [];
  const properties = ((spec.params ?? {}) as { properties?: Record<string, Documented> }).properties ?? {};
  if (!spec.params) found.push('params is not declared');
  for (const [, name] of spec.path.matchAll(pathParameter)) {
    if (name && !(name in properties)) found.push(`path parameter ${name} is not declared in params`);
  }
  if (!spec.path.startsWith('/')) found.push('path must start with a slash');
  if (!spec.summary || !spec.tag) found.push('summary and tag are required');
  if (!spec.access) found.push('access is not declared');
  if (!spec.credentials || (spec.credentials.length === 0 && spec.access?.on !== 'public'))
    found.push('no credential is declared');
  if (spec.access && 'ability' in spec.access && spec.access.on !== 'instance') {
    const name = spec.access.param ?? 'id';
    if (!(name in properties)) found.push(`parent parameter ${name} is not declared in params`);
  }
  if (Object.keys(spec.responses ?? {}).length === 0) found.push('no response is declared');
  if (Object.values(spec.responses ?? {}).includes(Binary) && !spec.media?.length)
    found.push('a binary answer needs its media types');
  for (const status of Object.keys(spec.responses ?? {}))
    if (!/^[23]\d\d$/.test(status)) found.push(`response ${status} is not a success`);
  for (const [name, schema] of Object.entries(properties))
    if (schema.deprecated && !schema.description)
      found.push(`deprecated parameter ${name} does not say what replaces it`);
  if (spec.conditional !== undefined && spec.method !== 'DELETE') found.push('only a DELETE is conditional');
  if (spec.method === 'DELETE' && !spec.conditional)
    found.push('conditional is not declared: true with context.unmodifiedSince, or why not');
  return found;
}

/**
 * Declares a route. Throws when the declaration is incomplete, so that the process does not start with it.
 */
export function route<P extends TObject, const A extends Access>(spec: RouteSpec<P, A>): Route {
  const found = problems(spec as unknown as RouteSpec);
  if (found.length > 0) throw new Error(`route ${spec.method} ${spec.path}: ${found.join('; ')}`);
  return Object.freeze({ ...(spec as unknown as RouteSpec), checked: true as const });
}

/** The scopes of which a token needs one. */
export function acceptedScopes(spec: Pick<RouteSpec, 'method' | 'scopes'>): readonly string[] {
  return spec.scopes ?? (spec.method === 'GET' ? ['api', 'read_api'] : ['api']);
}

export type { Page, Paged };

/** Whether a request names what may not be there: by its path, or by the id of something else among its parameters. */
export function namesObjects(route: Route): boolean {
  const names = Object.keys(route.params.properties);
  return /[:*]/.test(route.path) || names.some((name) => /(^|_)id$/.test(name)) || route.errors?.includes(404) === true;
}
