/** One operation of the document from one declared route. */
import type { TSchema } from 'typebox';
import { parametersOf } from '../mount.ts';
import { acceptedScopes, Binary, type CredentialKind, Empty, namesObjects, type Route } from '../route.ts';
import { headerKey, keysetHeaders, offsetHeaders, rateHeaders, refusals } from './components.ts';
import { type Node, publish } from './schemas.ts';

/** A request that was really made, and what came back. */
export interface Example {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

export type Examples = Readonly<Record<string, Example>>;

/** The name of a route among the examples. */
export const routeKey = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`;

/** `:project_id` in the router's form to the document's `{project_id}`. */
export const documentPath = (path: string) => path.replaceAll(/:([a-z_]+)/g, '{$1}').replace(/\*$/, '{path}');

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

function operationId(route: Route): string {
  const words = route.path
    // A part that is only the mark of pages names its form of the route.
    .replaceAll('/-/', ' dash ')
    .replaceAll(/[:*]/g, ' by ')
    .replaceAll(/[^a-zA-Z0-9]+/g, ' ')
    .trim()
    .split(' ');
  return route.method.toLowerCase() + words.map(capital).join('') + (route.path.endsWith('*') ? 'Path' : '');
}

const schemes: Readonly<Record<Exclude<CredentialKind, 'body'>, string>> = {
  token: 'access_token',
  session: 'session_cookie',
  job: 'job_token',
  deploy: 'deploy_token',
};

/** Whether callers without credentials may pass: what they see decides, or the token is among the parameters. */
const openToAnyone = ({ access }: Route): boolean =>
  access.on === 'public' || access.on === 'project' || access.on === 'group';

function security(route: Route): Node[] {
  const required = route.credentials.flatMap((kind): Node[] => {
    if (kind === 'body') return [];
    if (kind === 'token') return acceptedScopes(route).map((scope) => ({ [schemes.token]: [scope] }));
    return [{ [schemes[kind]]: [] }];
  });
  return openToAnyone(route) ? [...required, {}] : required;
}

const requiredOf = (route: Route): readonly string[] =>
  (route.params as { required?: readonly string[] }).required ?? [];

/** Conditions that a request can name in its headers. */
function conditions(route: Route): Node[] {
  const header = (name: string, description: string): Node[] => [
    { name, in: 'header', required: false, description, schema: { type: 'string' } },
  ];
  if (route.method === 'GET') return header('If-None-Match', 'An `ETag`: 304 while the answer is still the same');
  if (route.conditional !== true) return [];
  return header('If-Unmodified-Since', 'A date of HTTP: 412 when what is deleted changed after it');
}

/** How a list or hash is written in a query or a form, where the schema alone does not say it. */
function describe(name: string, node: Node): string | undefined {
  const said = typeof node.description === 'string' ? node.description : undefined;
  if (node.type !== 'array') return said;
  const ways = [...(node['x-scalar'] ? [`as \`${name}=a\``] : []), ...(node['x-commas'] ? [`as \`${name}=a,b\``] : [])];
  return ways.length === 0 || said === undefined ? said : `${said}. Also ${ways.join(' or ')}`;
}

interface Parameters {
  readonly list: Node[];
  readonly inBody: string[];
}

function parameters(
  route: Route,
  properties: Record<string, TSchema>,
  components: Map<string, Node>,
  example: Example | undefined,
): Parameters {
  const inPath = new Set([...route.path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? ''));
  if (route.path.endsWith('*')) inPath.add('path');
  const bodyMethod = route.method !== 'GET' && route.method !== 'DELETE' && !route.rawBody;
  const list: Node[] = [];
  const inBody: string[] = [];
  const required = new Set(requiredOf(route));
  const shown = (values: Readonly<Record<string, unknown>> | undefined, name: string): Node =>
    values !== undefined && name in values ? { example: values[name] } : {};
  for (const [name, schema] of Object.entries(properties)) {
    const node = schema as Node;
    // Said by the parameter itself, not again by its schema.
    const bare = { ...node, description: undefined, deprecated: undefined, 'x-scalar': undefined };
    const common = {
      description: describe(name, node),
      ...(node.deprecated ? { deprecated: true } : {}),
      schema: publish(bare, components),
    };
    if (inPath.has(name)) list.push({ name, in: 'path', required: true, ...common, ...shown(example?.path, name) });
    else if (bodyMethod) inBody.push(name);
    else if (node.type === 'array')
      list.push({
        name: `${name}[]`,
        in: 'query',
        required: required.has(name),
        style: 'form',
        explode: true,
        ...common,
        ...shown(example?.query, name),
      });
    else if (node.type === 'object')
      list.push({
        name,
        in: 'query',
        required: required.has(name),
        style: 'deepObject',
        explode: true,
        ...common,
        ...shown(example?.query, name),
      });
    else list.push({ name, in: 'query', required: required.has(name), ...common, ...shown(example?.query, name) });
  }
  if (route.path.endsWith('*') && !('path' in properties))
    list.push({
      name: 'path',
      in: 'path',
      required: true,
      description: 'The rest of the path; it may have slashes',
      schema: { type: 'string' },
      ...shown(example?.path, '*'),
    });
  return { list: [...list, ...conditions(route)], inBody };
}

const binary = (description: string): Node => ({ type: 'string', format: 'binary', description });

function requestBody(
  route: Route,
  names: readonly string[],
  properties: Record<string, TSchema>,
  components: Map<string, Node>,
  example: Example | undefined,
): Node | undefined {
  if (route.rawBody === 'multipart/form-data') {
    const schema = { type: 'object', properties: { file: binary('The file') }, required: ['file'] };
    return { required: true, content: { [route.rawBody]: { schema } } };
  }
  if (route.rawBody) return { required: true, content: { [route.rawBody]: { schema: binary('The bytes') } } };
  if (names.length === 0) return undefined;
  const required = requiredOf(route).filter((name) => names.includes(name));
  const objectOf = (shownNames: readonly string[], needed: readonly string[]): Node => ({
    type: 'object',
    properties: Object.fromEntries(shownNames.map((name) => [name, publish(properties[name], components)])),
    ...(needed.length > 0 ? { required: needed } : {}),
  });
  const isFile = (name: string) => (properties[name] as Node)['x-parse'] === 'file';
  const files = names.filter(isFile);
  const texts = names.filter((name) => !isFile(name));
  const onlyForms = files.some((name) => required.includes(name)) || texts.length === 0;
  const types = onlyForms
    ? ['multipart/form-data']
    : ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
  const name = `${capital(operationId(route))}Body`;
  components.set(name, onlyForms ? objectOf(names, required) : objectOf(texts, required));
  const reference = { $ref: `#/components/schemas/${name}` };
  // Files travel in multipart alone; without one, every encoding does.
  const schemaOf = (type: string): Node =>
    onlyForms || files.length === 0 || type !== 'multipart/form-data'
      ? reference
      : { allOf: [reference, objectOf(files, [])] };
  const shown = example?.body === undefined || files.length > 0 ? {} : { example: example.body };
  const nested = names.some((each) => ['array', 'object'].includes(String((properties[each] as Node).type)));
  return {
    ...(nested ? { description: 'In forms, lists are written `name[]=a&name[]=b` and hashes `name[key]=a`.' } : {}),
    required: required.length > 0,
    content: Object.fromEntries(
      types.map((type, at) => [type, { schema: schemaOf(type), ...(at === 0 ? shown : {}) }]),
    ),
  };
}

const statusWords: Readonly<Record<string, string>> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted: it happens soon',
  204: 'Done; no body',
  302: 'Elsewhere: see `Location`',
  304: 'Nothing changed; no body',
};

/** Whether the path names a project or group, which may also be a former path. */
const onPlace = ({ access }: Route): boolean => access.on === 'project' || access.on === 'group';

/** Statuses with which the edge itself, for what is declared, or the handler refuses. */
function refusedWith(route: Route): number[] {
  // A query that is malformed is one everywhere.
  const statuses = new Set<number>([400, 429, 500, 503]);
  if (route.credentials.length > 0) statuses.add(401).add(403);
  if (namesObjects(route)) statuses.add(404);
  // What is changed by the former path of a group or project is refused.
  if (route.pagination || (onPlace(route) && route.method !== 'GET')) statuses.add(405);
  for (const status of route.errors ?? []) statuses.add(status);
  if (route.conditional === true) statuses.add(412);
  if (route.method !== 'GET' && route.method !== 'DELETE') statuses.add(413);
  return [...statuses].sort((a, b) => a - b);
}

function responses(route: Route, components: Map<string, Node>, example: Example | undefined): Node {
  const result: Node = {};
  const paging = route.pagination === undefined ? [] : route.pagination === 'keyset' ? keysetHeaders : offsetHeaders;
  for (const [status, schema] of Object.entries(route.responses)) {
    const names = [
      'X-Request-Id',
      ...(route.method === 'GET' && status === '200' ? ['ETag'] : []),
      ...paging,
      ...(route.rate === undefined ? [] : rateHeaders),
    ];
    const base: Node = {
      description: statusWords[status] ?? 'Success',
      headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${headerKey(name)}` }])),
    };
    if (schema === Empty) result[status] = base;
    else if (schema === Binary)
      result[status] = {
        ...base,
        content: Object.fromEntries((route.media ?? []).map((type) => [type, { schema: binary('The bytes') }])),
      };
    else {
      const shown =
        example?.status === Number(status) && example.answer !== undefined ? { example: example.answer } : {};
      result[status] = { ...base, content: { 'application/json': { schema: publish(schema, components), ...shown } } };
    }
  }
  if (route.method === 'GET' && onPlace(route)) result['301'] = { $ref: '#/components/responses/Moved' };
  if (route.method === 'GET') result['304'] ??= { $ref: '#/components/responses/NotModified' };
  for (const status of refusedWith(route)) {
    const name = refusals[status]?.name;
    if (name) result[String(status)] = { $ref: `#/components/responses/${name}` };
  }
  return result;
}

/** Who may call, in words. */
function describeAccess(route: Route): string {
  const scopes = acceptedScopes(route)
    .map((scope) => `\`${scope}\``)
    .join(' or ');
  const access = route.access;
  switch (access.on) {
    case 'public':
      return 'Open to everyone.';
    case 'credential':
      return route.credentials.includes('body')
        ? 'Proved by the token among the parameters.'
        : 'For the job whose token is sent.';
    case 'instance':
      return `${access.ability === 'admin' ? 'Administrators only.' : 'Any signed-in user.'} Token scope: ${scopes}.`;
    default:
      return `Needs the ability \`${access.ability}\` on the ${access.on}. Token scope: ${scopes}.`;
  }
}

/** The limits of its own, in words. */
function describeLimits({ rate }: Route): string[] {
  if (rate === undefined) return [];
  return [
    `Rate limit: ${[rate]
      .flat()
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
  ];
}

/** The operation of a route; schemas that it names are added to `components`. */
export function operation(route: Route, components: Map<string, Node>, example: Example | undefined): Node {
  const properties = parametersOf(route).properties as Record<string, TSchema>;
  const { list, inBody } = parameters(route, properties, components, example);
  const body = requestBody(route, inBody, properties, components, example);
  return {
    operationId: operationId(route),
    summary: route.summary,
    tags: [route.tag],
    ...(route.deprecated ? { deprecated: true } : {}),
    description: [describeAccess(route), ...describeLimits(route)].join(' '),
    security: security(route),
    ...(list.length > 0 ? { parameters: list } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: responses(route, components, example),
  };
}
