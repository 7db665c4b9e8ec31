/**
 * Records requests of tests as candidates for the examples of the API (`npm run examples`), with what differs from run to
 * run or is secret made equal.
 */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseUrlEncoded } from '../src/kernel/http/params/nested.ts';
import type { Route } from '../src/kernel/http/route.ts';

interface Recorded {
  readonly method: string;
  /** Below `/api/v4`, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** One line of the record. */
export interface Candidate {
  readonly route: string;
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

interface Matcher {
  readonly route: Route;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

const matchers = new WeakMap<readonly Route[], readonly Matcher[]>();

/** Routes as patterns, those with fewer placeholders first. */
function matchersOf(routes: readonly Route[]): readonly Matcher[] {
  const known = matchers.get(routes);
  if (known) return known;
  const made = routes
    .map((route) => {
      const names = [...route.path.matchAll(/:([a-z_]+)|\*/g)].map((match) => match[1] ?? '*');
      const source = route.path
        .replaceAll('.', '\\.')
        .replaceAll(/:[a-z_]+/g, '([^/]+)')
        .replace(/\*$/, '(.*)');
      return { route, names, pattern: new RegExp(`^${source}$`) };
    })
    .sort((a, b) => a.names.length - b.names.length);
  matchers.set(routes, made);
  return made;
}

const fixedTime = '2026-01-15T09:30:00.000Z';
/** Characters of a text that are looked at. */
const most = 5_000;
const fixedDay = '2026-01-15';
const secretKeys = /(^|_)(token|password|secret|key_pem|csrf)$/;
const tokenText = /\b(gl(?:pat|rt|rtr|cbt|ft|ptt|dt|agent|soat|imt)-|GR1348941)[A-Za-z0-9_.-]+/g;

/** Replaces what is unstable or secret, the same by the same within one example. */
function normaliser() {
  const hashes = new Map<string, string>();
  const names = new Map<string, string>();
  const hash = (given: string): string => {
    const known = hashes.get(given) ?? [...hashes].find(([long]) => long.startsWith(given))?.[1].slice(0, given.length);
    if (known !== undefined) return known;
    if (/^0+$/.test(given)) return given;
    const made = createHash('sha256').update(`example ${hashes.size}`).digest('hex').slice(0, given.length);
    hashes.set(given, made);
    return made;
  };
  const name = (given: string, word: string): string => {
    const known = names.get(given);
    if (known) return known;
    const made = `${word}-${[...names.values()].filter((each) => each.startsWith(`${word}-`)).length + 1}`;
    names.set(given, made);
    return made;
  };
  const text = (given: string): string => {
    const changed = given
      .slice(0, most)
      .replaceAll(tokenText, (_, prefix: string) => `${prefix}${'x'.repeat(20)}`)
      .replaceAll(/https?:\/\/(127\.0\.0\.1|localhost)(:\d+)?/g, 'https://millrace.example.com')
      .replaceAll(/\b(git@|ssh:\/\/git@)127\.0\.0\.1(:\d+)?/g, '$1millrace.example.com')
      .replaceAll(/\b127\.0\.0\.1\b/g, '198.51.100.7')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)/g, fixedTime)
      .replaceAll(/\b\d{4}-\d\d-\d\d\b(?!T)/g, fixedDay)
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '0d6f5d6e-4d6c-4f0b-9a3e-5c9f4f1f7c11')
      .replaceAll(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g, hash)
      .replaceAll(/\b([a-z][a-z_]*)-\d{2,}-\d+\b/gi, name);
    return changed.length > 600 ? `${changed.slice(0, 600)}...` : changed;
  };
  const value = (given: unknown, key = ''): unknown => {
    if (typeof given === 'string') {
      if (given !== '' && secretKeys.test(key) && !/^gl/.test(given)) return 'x'.repeat(20);
      if (/^[0-9a-f]{7,12}$/.test(given) && /id|sha|commit/.test(key)) return hash(given);
      return text(given);
    }
    if (typeof given === 'number') return Number.isInteger(given) ? given : Math.round(given * 10) / 10;
    if (Array.isArray(given)) return given.slice(0, 2).map((item) => value(item, key));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).map(([name, item]) => [text(name), value(item, name)]));
  };
  return value;
}

/** The candidate that a request makes; null where it is no success of a declared route. */
function candidateOf(routes: readonly Route[], made: Recorded): Candidate | null {
  for (const { route, pattern, names } of matchersOf(routes)) {
    if (route.method !== made.method) continue;
    const match = pattern.exec(made.path);
    if (!match || !(made.status in route.responses)) continue;
    const tidy = normaliser();
    // Hashes of the answer first, so that short ones find their long ones.
    const answer = tidy(made.answer);
    const given = Object.fromEntries(names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? '')]));
    const { private_token: _, access_token: __, job_token: ___, ...query } = made.query;
    return {
      route: `${route.method} ${route.path}`,
      ...(names.length > 0 ? { path: tidy(given) as Record<string, unknown> } : {}),
      ...(Object.keys(query).length > 0 ? { query: tidy(query) as Record<string, unknown> } : {}),
      ...(made.body === undefined ? {} : { body: tidy(made.body) }),
      status: made.status,
      ...(typeof answer === 'boolean' || (typeof answer === 'object' && answer !== null) ? { answer } : {}),
    };
  }
  return null;
}

/** What a request sent, as the API reads it. */
function bodyOf(request: FastifyRequest, chunks: readonly Buffer[]): unknown {
  const text = Buffer.concat(chunks).toString();
  const type = request.headers['content-type'] ?? '';
  // Nobody reads an example as long as that.
  if (text === '' || text.length > 20_000) return undefined;
  if (type.startsWith('application/json')) return JSON.parse(text);
  return type.startsWith('application/x-www-form-urlencoded') ? plain(parseUrlEncoded(text)) : undefined;
}

/** The JSON of an answer; null for everything else. */
function answerOf(payload: unknown): unknown {
  const zipped = Buffer.isBuffer(payload) && payload[0] === 0x1f && payload[1] === 0x8b;
  const text = Buffer.isBuffer(payload) ? (zipped ? gunzipSync(payload) : payload).toString() : payload;
  return typeof text === 'string' && /^([[{]|true$|false$)/.test(text) ? JSON.parse(text) : null;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Records what the server is asked and answers, when a folder for it is named. */
export function recordExamples(server: FastifyInstance, routes: readonly Route[]): void {
  const directory = process.env.MILLRACE_EXAMPLES;
  if (!directory) return;
  const file = path.join(directory, `${process.pid}.jsonl`);
  const bodies = new WeakMap<FastifyRequest, Buffer[]>();
  server.addHook('onRequest', (request, _reply, done) => {
    const chunks: Buffer[] = [];
    bodies.set(request, chunks);
    const push = request.raw.push.bind(request.raw);
    request.raw.push = (chunk: unknown, encoding?: BufferEncoding) => {
      if (Buffer.isBuffer(chunk)) chunks.push(chunk);
      return push(chunk, encoding);
    };
    done();
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    const [address = '', search = ''] = request.url.split('?');
    if (address.startsWith('/api/v4/') && reply.statusCode < 400) {
      const candidate = candidateOf(routes, {
        method: request.method,
        path: address.slice('/api/v4'.length),
        query: plain(parseUrlEncoded(search)) as Record<string, unknown>,
        body: bodyOf(request, bodies.get(request) ?? []),
        status: reply.statusCode,
        answer: answerOf(payload),
      });
      if (candidate) appendFileSync(file, `${JSON.stringify(candidate)}\n`);
    }
    done();
  });
}
