/** Requests of any shape to declared routes: nearly valid most of the time, so that they get past the first check. */
import type { Route } from '../../src/kernel/http/route.ts';
import type { Memory } from './memory.ts';
import type { Random } from './random.ts';

export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  '9223372036854775808',
  '99999999999999999999999999',
  'true',
  'null',
  'a\u0000b',
  '\u0000',
  '\ud800',
  'ünï\u202ecode 🏭',
  '../../etc/passwd',
  '--upload-pack=x',
  '-h',
  "'; drop table users; --",
  '%00',
  '%',
  '2026-02-30',
  '2026-01-01T00:00:00Z',
  'refs/heads/main',
  'HEAD~99999999',
  '0000000000000000000000000000000000000000',
  '*',
  '\\',
  'x'.repeat(5_000),
  '\n\r\t',
  '[',
  '(a+)+$',
];
const hostileScalars: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, Number.MIN_VALUE];

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly 'x-parse'?: string;
}

/** Values that mean something in the world that is asked, by `METHOD /path name`, `/path name` or `name` of a parameter. */
export type Known = (route: Route, name: string) => readonly unknown[];

export interface Shot {
  readonly route: Route;
  readonly path: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly kind: 'query' | 'json' | 'form' | 'multipart' | 'untyped';
  /** Names of those that are sent in the query although there is a body. */
  readonly aside: readonly string[];
  /** Who was told of what the path names: others may not see it. */
  readonly by?: string | undefined;
}

/** What is sent as a file. */
interface Upload {
  readonly file: string;
}
const isUpload = (value: unknown): value is Upload => typeof value === 'object' && value !== null && 'file' in value;
const pictures: readonly Upload[] = [{ file: 'GIF89a\u0001\0\u0001\0\0\0\0;' }, { file: 'no picture' }, { file: '' }];

export function generator(random: Random, known: Known, memory?: Memory) {
  const { below, chance, pick } = random;

  function anything(depth = 0): unknown {
    const kind = below(depth > 3 ? 2 : 6);
    if (kind === 0) return pick(hostileScalars);
    if (kind === 4) return Array.from({ length: below(4) }, () => anything(depth + 1));
    if (kind === 5)
      return Object.fromEntries(
        Array.from({ length: below(4) }, () => [pick([...hostileTexts, '__proto__', 'id']), anything(depth + 1)]),
      );
    return pick(hostileTexts);
  }

  /** Share of values that are anything at all; a request in two is without. */
  let odd = 0;
  /** Asks for little, and all of it valid: what gets into a route that nothing else got into. */
  let plainly = false;

  /** A value of the declared type, known to the world where it can be. */
  function fitting(route: Route, name: string, schema: Schema, depth = 0): unknown {
    if (chance(odd)) return anything();
    const words = schema.enum ? [] : known(route, name);
    if (words.length > 0 && chance(plainly ? 1 : 0.85)) {
      const word = pick(words);
      return schema.type === 'array' && !Array.isArray(word) ? [word] : word;
    }
    if (schema.enum) return pick(schema.enum);
    const { minimum = 0, maximum = 2 ** 40 } = schema;
    switch (schema.type) {
      case 'integer':
      case 'number':
        return Math.min(maximum, Math.max(minimum, pick([1, 2, 3, 10, 30, 50, 100, minimum, 2 ** 31, 2 ** 53 - 1])));
      case 'boolean':
        return chance(0.5);
      case 'array':
        return Array.from({ length: below(3) }, () => fitting(route, name, schema.items ?? {}, depth + 1));
      case 'object':
        if (schema.properties) return depth < 4 ? ofProperties(route, schema, depth + 1) : {};
        return { [pick(['key', 'other'])]: pick(['a', 'b']) };
      default:
        if (schema['x-parse'] === 'file') return pick(pictures);
        if (schema['x-parse'] === 'date') return pick(['2026-01-31', '2030-12-31', '2020-02-29']);
        if (schema['x-parse'] === 'date-time')
          return pick(['2026-01-31T10:00:00Z', '2020-01-01', '2030-01-01T00:00:00.123+02:00']);
        return pick(['main', 'name', 'A text', 'x', '1', odd > 0 ? pick(hostileTexts) : 'Another']);
    }
  }

  function ofProperties(route: Route, schema: Schema, depth = 0): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const many = Object.keys(schema.properties ?? {}).length;
      const optional = plainly ? Math.min(0.2, 1 / many) : Math.min(0.4, 4 / many);
      const likely = !schema.required?.includes(name) ? optional : plainly ? 1 : 0.97;
      if (chance(likely)) made[name] = fitting(route, name, property, depth);
    }
    if (chance(odd / 2)) made[pick(hostileTexts)] = anything();
    return made;
  }

  /** One request to the route; a plain one is valid as far as the declaration tells. */
  return function shot(route: Route, plain = false): Shot {
    plainly = plain;
    odd = plain || chance(0.5) ? 0 : 0.15;
    const path: Record<string, string> = {};
    const parameters = ofProperties(route, route.params as Schema);
    const names = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name);
    // What the world itself needs is read, and left as it is.
    const made =
      route.method !== 'GET' && names.some((name, at) => at === names.length - 1 && known(route, name).length > 0);
    const recalled = memory && chance(plain ? 0.7 : 0.5) ? memory.recall(route, made) : null;
    for (const name of names) {
      const choices = (route.params as Schema).properties?.[name]?.enum ?? known(route, name);
      const words = recalled?.path[name] === undefined ? choices : [recalled.path[name]];
      path[name] = String(
        words.length > 0 && chance(1 - odd / 2) ? pick(words) : pick([...hostileTexts, '999999', 'absent']),
      );
      delete parameters[name];
    }
    if (route.path.endsWith('*')) {
      path['*'] = String(chance(1 - odd) ? pick(known(route, 'path')) : pick(hostileTexts));
      delete parameters.path;
    }
    if (route.pagination && !plain && chance(0.4)) {
      parameters.per_page = chance(0.7) ? pick([1, 2, 5, 100]) : anything(3);
      if (chance(0.5)) parameters.page = chance(0.7) ? pick([1, 2, 3]) : anything(3);
      if (route.pagination !== 'offset' && chance(0.4)) parameters.pagination = 'keyset';
    }
    const reads = route.method === 'GET' || route.rawBody;
    const uploads = !reads && Object.values(parameters).some(isUpload);
    const kind = reads
      ? 'query'
      : uploads
        ? 'multipart'
        : plain
          ? 'json'
          : pick(['query', 'json', 'json', 'json', 'form', 'multipart', 'untyped'] as const);
    const aside = kind !== 'query' && !uploads && chance(0.15) ? Object.keys(parameters).slice(0, 2) : [];
    return { route, path, parameters, kind, aside, by: recalled?.by };
  };
}

/** The plainest request that a route should take: what its path and declaration ask for, with values that exist. */
export function plainShot(route: Route, known: Known): Shot {
  const plain = (name: string, schema: Schema): unknown => {
    const [word] = known(route, name);
    if (word !== undefined) return schema.type === 'array' && !Array.isArray(word) ? [word] : word;
    if (schema.enum) return schema.enum[0];
    if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
    if (schema.type === 'boolean') return false;
    if (schema.type === 'array') return schema.items ? [plain(name, schema.items)] : [];
    if (schema.type === 'object') return ofRequired(schema);
    return 'text';
  };
  const ofRequired = (schema: Schema): Record<string, unknown> =>
    Object.fromEntries((schema.required ?? []).map((name) => [name, plain(name, schema.properties?.[name] ?? {})]));
  const parameters = ofRequired(route.params as Schema);
  const path: Record<string, string> = {};
  for (const [, name = ''] of route.path.matchAll(/:([a-z_]+)/g)) {
    path[name] = String(known(route, name)[0] ?? 'text');
    delete parameters[name];
  }
  if (route.path.endsWith('*')) {
    path['*'] = String(known(route, 'path')[0] ?? 'text');
    delete parameters.path;
  }
  return { route, path, parameters, kind: route.method === 'GET' || route.rawBody ? 'query' : 'json', aside: [] };
}

const part = (text: string) => encodeURIComponent(text.toWellFormed());

/** Names and values as clients write them in text: `a[b][]=c`. */
function pairs(prefix: string, given: unknown, into: [string, string][]): void {
  if (Array.isArray(given)) for (const item of given) pairs(`${prefix}[]`, item, into);
  else if (typeof given === 'object' && given !== null)
    for (const [name, item] of Object.entries(given)) pairs(prefix ? `${prefix}[${name}]` : name, item, into);
  else into.push([prefix, given === null ? '' : String(given)]);
}
const flat = (given: unknown): [string, string][] => {
  const all: [string, string][] = [];
  pairs('', given, all);
  return all;
};
const urlencoded = (given: unknown) =>
  flat(given)
    .map(([name, text]) => `${part(name)}=${part(text)}`)
    .join('&');

export interface Wire {
  readonly method: Route['method'];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string;
}

const types: Readonly<Record<Shot['kind'], string | null>> = {
  query: null,
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data; boundary=edge',
  untyped: null,
};

function multipart(given: Readonly<Record<string, unknown>>): string {
  const quoted = (name: string) => name.replaceAll(/["\r\n]/g, '_');
  const texts = Object.fromEntries(Object.entries(given).filter(([, value]) => !isUpload(value)));
  const files = Object.entries(given).flatMap(([name, value]) =>
    isUpload(value)
      ? `--edge\r\nContent-Disposition: form-data; name="${quoted(name)}"; filename="a.gif"\r\nContent-Type: image/gif\r\n\r\n${value.file}\r\n`
      : [],
  );
  const all = flat(texts).map(
    ([name, text]) =>
      `--edge\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${text.toWellFormed()}\r\n`,
  );
  return `${all.join('')}${files.join('')}--edge--\r\n`;
}

/** The request on the wire. */
export function wire(shot: Shot): Wire {
  const { route, kind } = shot;
  const at = (name: string) => part(shot.path[name] ?? '') || '%20';
  const target = route.path.replaceAll(/:([a-z_]+)/g, (_, name: string) => at(name)).replace(/\*$/, () => at('*'));
  const entries = Object.entries(shot.parameters);
  const aside = Object.fromEntries(entries.filter(([name]) => kind === 'query' || shot.aside.includes(name)));
  const body = Object.fromEntries(entries.filter(([name]) => kind !== 'query' && !shot.aside.includes(name)));
  const query = urlencoded(aside);
  const type = types[kind];
  const payload = kind === 'json' ? JSON.stringify(body) : kind === 'multipart' ? multipart(body) : urlencoded(body);
  return {
    method: route.method,
    url: `/api/v4${target}${query ? `?${query}` : ''}`,
    headers: type ? { 'content-type': type } : {},
    ...(kind === 'query' ? {} : { payload }),
  };
}

/** The same request with less in it, each time one thing. */
export function* smaller(shot: Shot): Generator<Shot> {
  for (const name of Object.keys(shot.parameters)) {
    const { [name]: _, ...parameters } = shot.parameters;
    yield { ...shot, parameters };
  }
  if (shot.aside.length > 0) yield { ...shot, aside: [] };
}
