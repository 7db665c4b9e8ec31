/** Parameters of any shape to any route: never a fault, never a hang, and refusals in one of the two documented bodies. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { buildAdmin, buildGroup, buildToken, buildUser } from '../test/factories.ts';
import type { User } from './kernel/db/rows.ts';
import type { Route } from './kernel/http/route.ts';

const requests = 3_000;
const seed = 0x6d696c6c;

/** A small generator with a seed, so that a failure happens again. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
const random = randomFrom(seed);
const below = (count: number) => Math.floor(random() * count);
function pick<T>(values: readonly T[]): T {
  const value = values[below(values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

const texts = [
  '',
  ' ',
  'main',
  'name',
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
];
const scalars: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e308, 2 ** 31, 2 ** 53, Number.MIN_VALUE];

function value(depth = 0): unknown {
  const kind = below(depth > 3 ? 2 : 6);
  if (kind === 0) return pick(scalars);
  if (kind === 4) return Array.from({ length: below(4) }, () => value(depth + 1));
  if (kind === 5)
    return Object.fromEntries(
      Array.from({ length: below(4) }, () => [pick([...texts, '__proto__', 'id']), value(depth + 1)]),
    );
  return pick(texts);
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A value of the declared type most of the time, so that requests get past the first check. */
function fitting(schema: Schema, depth = 0): unknown {
  if (below(4) === 0) return value();
  if (schema.enum) return pick(schema.enum);
  switch (schema.type) {
    case 'integer':
    case 'number':
      return pick([0, 1, 2, schema.minimum ?? 3, 2 ** 31, 2 ** 40, 2 ** 53 - 1]);
    case 'boolean':
      return random() < 0.5;
    case 'array':
      return Array.from({ length: below(3) }, () => fitting(schema.items ?? {}, depth + 1));
    case 'object':
      return schema.properties && depth < 4 ? ofProperties(schema, depth + 1) : { key: value(2) };
    default:
      return pick(texts);
  }
}

function ofProperties(schema: Schema, depth = 0): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const likely = schema.required?.includes(name) ? 0.95 : 0.35;
    if (random() < likely) made[name] = fitting(property, depth);
  }
  if (below(10) === 0) made[pick(texts)] = value();
  return made;
}

/** Query and form text as clients build it: `a[b][]=c`. */
function pairs(prefix: string, given: unknown, into: [string, string][]): void {
  if (Array.isArray(given)) for (const item of given) pairs(`${prefix}[]`, item, into);
  else if (typeof given === 'object' && given !== null)
    for (const [name, item] of Object.entries(given)) pairs(prefix ? `${prefix}[${name}]` : name, item, into);
  else into.push([prefix, String(given)]);
}
function encoded(given: unknown): string {
  const all: [string, string][] = [];
  pairs('', given, all);
  return all.map(([name, text]) => `${pathPart(name)}=${pathPart(text)}`).join('&');
}
const pathPart = (text: string) => encodeURIComponent(text.toWellFormed());

let app: TestApp;
let admin: User;
let token = '';
const projects: string[] = [];
const groups: string[] = [];

async function freshProject(): Promise<void> {
  const name = `shape-${projects.length}`;
  const made = await app.api<{ id: number }>('POST', '/projects', {
    token,
    json: { name, initialize_with_readme: true },
  });
  expect(made.status).toBe(201);
  projects.push(String(made.body.id));
}

beforeAll(async () => {
  app = await startTestApp();
  // Small ids are guessed below: whoever has them is blocked and removed.
  for (let at = 0; at < 5; at += 1) await buildUser(app);
  admin = await buildAdmin(app);
  token = (await buildToken(app, { user: admin })).secret;
  for (let at = 0; at < 8; at += 1) {
    await freshProject();
    groups.push(String((await buildGroup(app, { owner: admin })).id));
  }
}, 60_000);
afterAll(() => app.close());

interface Shot {
  readonly method: Route['method'];
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly payload?: string;
}

function shot(route: Route): Shot {
  const part = (name: string): string => {
    if (name === 'id' && route.access.on === 'project' && below(12) > 0) return pick(projects);
    if (name === 'id' && route.access.on === 'group' && below(12) > 0) return pick(groups);
    return pathPart(pick([...texts, '1', '2', 'main', 'README.md'])) || '1';
  };
  let url = `/api/v4${route.path.replaceAll(/:([a-z_]+)/g, (_, name: string) => part(name)).replace(/\*$/, () => part('*'))}`;
  const parameters = ofProperties(route.params as Schema);
  for (const [, name] of route.path.matchAll(/:([a-z_]+)/g)) if (name) delete parameters[name];
  if (route.pagination && below(3) === 0) Object.assign(parameters, { page: value(3), per_page: value(3) });
  const how = route.method === 'GET' ? 0 : below(3);
  if (how === 0) url += `?${encoded(parameters)}`;
  const types = ['', 'application/json', 'application/x-www-form-urlencoded'];
  const headers = { 'private-token': token, ...(how === 0 ? {} : { 'content-type': types[how] ?? '' }) };
  const payload = how === 1 ? JSON.stringify(below(15) === 0 ? value() : parameters) : encoded(parameters);
  return { method: route.method, url, headers, ...(how === 0 ? {} : { payload }) };
}

function complaint(status: number, body: string): string | null {
  if (status >= 500) return 'a fault';
  if (status < 400) return null;
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null && ('message' in parsed || 'error' in parsed)) return null;
  } catch {
    // Told below.
  }
  return 'neither message nor error';
}

describe('security rule 4', () => {
  test(`${requests} requests with parameters of any shape: no fault, no hang, every refusal has its body`, async () => {
    const wrong: string[] = [];
    const seen = new Map<number, number>();
    const routes = app.routes.filter(
      ({ path, method }) => !(method === 'DELETE' && path === '/personal_access_tokens/self'),
    );
    for (let sent = 0; sent < requests; sent += 10) {
      const shots = Array.from({ length: 10 }, () => shot(pick(routes)));
      await Promise.all(
        shots.map(async (each) => {
          const started = performance.now();
          const got = await app.server.inject({ ...each });
          seen.set(got.statusCode, (seen.get(got.statusCode) ?? 0) + 1);
          const slow = performance.now() - started > 5_000 ? 'slow' : null;
          const why = complaint(got.statusCode, got.body) ?? slow;
          if (why)
            wrong.push(
              `${each.method} ${each.url.slice(0, 300)} ${each.payload?.slice(0, 300) ?? ''}: ${got.statusCode} ${got.body.slice(0, 150)}; ${why}`,
            );
          if (got.statusCode === 401 && each.headers['private-token'] === token)
            token = (await buildToken(app, { user: admin })).secret;
        }),
      );
    }
    for (const line of app.logs) if (line.includes('"level":"error"')) wrong.push(line.slice(0, 900));
    expect(wrong).toEqual([]);
    expect(seen.get(200) ?? 0).toBeGreaterThan(requests / 20);
    expect(seen.get(400) ?? 0).toBeGreaterThan(requests / 20);
  }, 120_000);
});
