/** The OpenAPI 3.1 document of the declared routes: the same schemas that validate and serialise. */
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { parametersOf } from './mount.ts';
import { acceptedScopes, Binary, type CredentialKind, Empty, type Route } from './route.ts';

type Node = Record<string, unknown>;

export interface OpenApiOptions {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

const internalKeys = new Set([
  'x-parse',
  'x-commas',
  'x-scalar',
  'x-nullable',
  'x-id-or-path',
  '~kind',
  '~optional',
  '~unsafe',
  '~readonly',
  '~hint',
]);

/** Copies a schema without our own keys; named objects move to the components and are referenced. */
function publish(schema: unknown, components: Map<string, Node>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const node = schema as Node;
  const copy: Node = {};
  for (const [key, value] of Object.entries(node)) if (!internalKeys.has(key)) copy[key] = publish(value, components);
  if (node['x-nullable'] && typeof node.type === 'string') {
    copy.type = [node.type, 'null'];
    if (Array.isArray(node.enum)) copy.enum = [...node.enum, null];
  }
  if (node['x-id-or-path']) return { oneOf: [{ type: 'integer' }, { type: 'string' }] };
  if (node['x-scalar'] && node.items) return { oneOf: [publish(node.items, components), copy] };
  const title = node.title;
  if (typeof title !== 'string' || !isObjectType(node.type)) return copy;
  const existing = components.get(title);
  const nullable = Array.isArray(node.type);
  const named = nullable ? { ...copy, type: 'object' } : copy;
  if (existing && JSON.stringify(existing) !== JSON.stringify(named))
    throw new Error(`two different schemas are named ${title}`);
  components.set(title, named);
  const reference = { $ref: `#/components/schemas/${title}` };
  return nullable ? { oneOf: [reference, { type: 'null' }] } : reference;
}

const isObjectType = (type: unknown) => type === 'object' || (Array.isArray(type) && type.includes('object'));

/** `Project` and `:project_id` in the router's form to the document's `{project_id}`. */
const documentPath = (path: string) => path.replaceAll(/:([a-z_]+)/g, '{$1}').replace(/\*$/, '{path}');

function operationId(route: Route): string {
  const words = route.path
    .replaceAll(/[:*]/g, ' by ')
    .replaceAll(/[^a-zA-Z0-9]+/g, ' ')
    .trim()
    .split(' ');
  const rest = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return route.method.toLowerCase() + rest + (route.path.endsWith('*') ? 'Path' : '');
}

const schemes: Readonly<Record<Exclude<CredentialKind, 'body'>, string>> = {
  token: 'access_token',
  session: 'session_cookie',
  job: 'job_token',
};

function security(route: Route): Node[] {
  const kinds = route.credentials.filter((kind): kind is Exclude<CredentialKind, 'body'> => kind !== 'body');
  const required = kinds.map((kind) => ({ [schemes[kind]]: [] }));
  const optional = route.access.on === 'public' || route.access.on === 'project' || route.access.on === 'group';
  return optional ? [...required, {}] : required;
}

function parameters(
  route: Route,
  properties: Record<string, TSchema>,
  components: Map<string, Node>,
): { list: Node[]; inBody: string[] } {
  const inPath = new Set([...route.path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? ''));
  if (route.path.endsWith('*')) inPath.add('path');
  const bodyMethod = route.method !== 'GET' && route.method !== 'DELETE' && !route.rawBody;
  const list: Node[] = [];
  const inBody: string[] = [];
  const required = new Set((route.params as { required?: readonly string[] }).required ?? []);
  for (const [name, schema] of Object.entries(properties)) {
    const node = schema as Node;
    if (inPath.has(name)) {
      list.push({
        name,
        in: 'path',
        required: true,
        description: node.description,
        schema: publish({ ...schema, description: undefined }, components),
      });
    } else if (bodyMethod) inBody.push(name);
    else {
      const isArray = node.type === 'array';
      list.push({
        name: isArray ? `${name}[]` : name,
        in: 'query',
        required: required.has(name),
        description: node.description,
        ...(node.type === 'object' ? { style: 'deepObject', explode: true } : {}),
        schema: publish({ ...schema, description: undefined }, components),
      });
    }
  }
  if (route.path.endsWith('*') && !('path' in properties)) {
    list.push({ name: 'path', in: 'path', required: true, schema: { type: 'string' } });
  }
  return { list, inBody };
}

function requestBody(
  route: Route,
  names: readonly string[],
  properties: Record<string, TSchema>,
  components: Map<string, Node>,
): Node | undefined {
  if (route.rawBody)
    return {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  if (names.length === 0) return undefined;
  const required = ((route.params as { required?: readonly string[] }).required ?? []).filter((name) =>
    names.includes(name),
  );
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, publish(properties[name], components)])),
    ...(required.length > 0 ? { required } : {}),
  };
  const files = names.some((name) => (properties[name] as Node)['x-parse'] === 'file');
  const types = files ? ['multipart/form-data'] : ['application/json', 'application/x-www-form-urlencoded'];
  return { required: required.length > 0, content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function responses(route: Route, components: Map<string, Node>): Node {
  const result: Node = {};
  for (const [status, schema] of Object.entries(route.responses)) {
    const description =
      { 200: 'Success', 201: 'Created', 202: 'Accepted', 204: 'Done, no content', 304: 'Not changed' }[status] ??
      'Success';
    if (schema === Empty) result[status] = { description };
    else if (schema === Binary)
      result[status] = {
        description,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      };
    else result[status] = { description, content: { 'application/json': { schema: publish(schema, components) } } };
  }
  const refer = (name: string) => ({ $ref: `#/components/responses/${name}` });
  const parameterised = Object.keys(parametersOf(route).properties).length > 0;
  if (parameterised) result['400'] = refer('BadRequest');
  if (route.access.on !== 'public' || route.credentials.length > 0) result['401'] = refer('Unauthorized');
  if (route.access.on !== 'public') result['403'] = refer('Forbidden');
  if (route.path.includes(':')) result['404'] = refer('NotFound');
  result['429'] = refer('TooManyRequests');
  if (route.method === 'GET') result['304'] ??= { description: 'Not changed since the `ETag` of `If-None-Match`' };
  for (const status of refusalsOf(route)) result[status] = refer(refusals[status].name);
  return result;
}

/** What a route may refuse beyond the usual, and what every route may answer when something is wrong with the service. */
const refusals = {
  405: { name: 'NotAllowed', text: 'Not possible in this state' },
  409: { name: 'Conflict', text: 'Conflicts with what is there' },
  412: { name: 'PreconditionFailed', text: 'Changed since the client read it' },
  416: { name: 'OutOfPlace', text: 'Does not continue what is there' },
  422: { name: 'Unprocessable', text: 'Understood, and not possible' },
  500: { name: 'Fault', text: 'A fault of the service; `request_id` finds it in the log' },
  503: { name: 'Unavailable', text: 'Overloaded or without its database; `Retry-After` says when to come back' },
} as const;

const refusalsOf = (route: Route) =>
  ([405, 409, 412, 416, 422, 500, 503] as const).filter(
    (status) =>
      status >= 500 ||
      (status === 412 && route.conditional === true) ||
      route.errors?.some((declared) => declared === status),
  );

const message = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

/** What the document says of the product. */
export const apiDescription: Omit<OpenApiOptions, 'version'> = {
  title: 'Millrace',
  description:
    'The v4 API. Lists are paged with `page` and `per_page`; projects and groups are named by id or URL-encoded path.',
};

/** Serves the document at `/api/v4/openapi.json`; it is built when it is first asked for. */
export function mountOpenApi(server: FastifyInstance, routes: readonly Route[], version: string): void {
  let text: string | undefined;
  server.get('/api/v4/openapi.json', (_request, reply) => {
    text ??= JSON.stringify(openApiDocument(routes, { ...apiDescription, version }));
    return reply.header('Content-Type', 'application/json').send(text);
  });
}

/** Builds the document. Deterministic: equal routes give equal text. */
export function openApiDocument(routes: readonly Route[], options: OpenApiOptions): Node {
  const components = new Map<string, Node>();
  components.set('Error', {
    type: 'object',
    description: 'Why a request was refused. Parameter errors use `error`, everything else `message`.',
    properties: {
      message: { description: 'Text, or an object from fields to reasons' },
      error: { type: 'string' },
      error_description: { type: 'string' },
      request_id: { type: 'string' },
    },
  });
  const paths: Record<string, Node> = {};
  for (const route of routes) {
    const schema = parametersOf(route);
    const properties = schema.properties as Record<string, TSchema>;
    const { list, inBody } = parameters(route, properties, components);
    const body = requestBody(route, inBody, properties, components);
    const key = documentPath(route.path);
    paths[key] ??= {};
    (paths[key] as Node)[route.method.toLowerCase()] = {
      operationId: operationId(route),
      summary: route.summary,
      tags: [route.tag],
      ...(route.deprecated ? { deprecated: true } : {}),
      description: describeAccess(route),
      security: security(route),
      ...(list.length > 0 ? { parameters: list } : {}),
      ...(body ? { requestBody: body } : {}),
      responses: responses(route, components),
    };
  }
  return JSON.parse(
    JSON.stringify({
      openapi: '3.1.0',
      info: {
        title: options.title,
        version: options.version,
        description: options.description,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/api/v4' }],
      tags: [...new Set(routes.map((route) => route.tag))].sort().map((name) => ({ name })),
      paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
      components: {
        securitySchemes: {
          access_token: {
            type: 'apiKey',
            in: 'header',
            name: 'PRIVATE-TOKEN',
            description: 'Also `Authorization: Bearer` and the query parameter `private_token`.',
          },
          job_token: {
            type: 'apiKey',
            in: 'header',
            name: 'JOB-TOKEN',
            description: 'Also `Authorization: Bearer` and the query parameter `job_token`.',
          },
          session_cookie: {
            type: 'apiKey',
            in: 'cookie',
            name: '_service_session',
            description: 'Unsafe methods also need `X-CSRF-Token`.',
          },
        },
        responses: {
          BadRequest: message('A parameter is missing or not valid'),
          Unauthorized: message('No valid credentials'),
          Forbidden: message('Not allowed for this caller'),
          NotFound: message('Does not exist, or may not be seen by this caller'),
          TooManyRequests: {
            ...message('A rate limit is used up; `Retry-After` says for how long'),
            content: {
              ...message('').content,
              'text/plain': { schema: { type: 'string' } },
            },
          },
          ...Object.fromEntries(Object.values(refusals).map(({ name, text }) => [name, message(text)])),
        },
        schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      },
    }),
  ) as Node;
}

function describeAccess(route: Route): string {
  const scopes = acceptedScopes(route)
    .map((scope) => `\`${scope}\``)
    .join(' or ');
  const access = route.access;
  switch (access.on) {
    case 'public':
      return 'Open to everyone.';
    case 'credential':
      return 'Proved by the token among the parameters.';
    case 'instance':
      return `${access.ability === 'admin' ? 'Administrators only.' : 'Any signed-in user.'} Token scope: ${scopes}.`;
    default:
      return `Needs the ability \`${access.ability}\` on the ${access.on}. Token scope: ${scopes}.`;
  }
}
