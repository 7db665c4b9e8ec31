/** Hostile values in every parameter of every route, generated from the declarations: a new route is covered by being there. Slow: thousands of requests. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exhaustiveSweeps, sampled, sampledCount, sampledOfEach, severalAtOnce } from '../test/sampling.ts';
import { plainShot, type Shot, wire } from '../test/shapes/generate.ts';
import { type PopulatedWorld, startPopulatedWorld } from '../test/shapes/world.ts';
import { Binary, type Route } from './kernel/http/route.ts';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly 'x-parse'?: string;
  readonly 'x-id-or-path'?: boolean;
  readonly 'x-scalar'?: boolean;
}

let populated: PopulatedWorld;
let canary: string;
const canaryText = 'canary-7f3a9c';
beforeAll(async () => {
  populated = await startPopulatedWorld();
  canary = path.join(populated.world.app.directory, 'canary');
  await mkdir(canary);
  await writeFile(path.join(populated.world.app.directory, 'secret.txt'), canaryText);
}, 600_000);
afterAll(() => populated.world.close());

const routes = (): readonly Route[] => populated.world.app.routes;
const declared = (route: Route) => Object.entries((route.params as unknown as Schema).properties ?? {});
const inPath = (route: Route, name: string) =>
  route.path.includes(`:${name}`) || (name === 'path' && route.path.endsWith('*'));
const isText = (schema: Schema) => schema.type === 'string' && !schema.enum && !schema['x-parse'];

/** The plain request with one value changed. */
function withValue(route: Route, name: string, value: unknown): Shot {
  const plain = plainShot(route, populated.known);
  if (name === 'path' && route.path.endsWith('*')) return { ...plain, path: { ...plain.path, '*': String(value) } };
  if (route.path.includes(`:${name}`)) return { ...plain, path: { ...plain.path, [name]: String(value) } };
  return { ...plain, parameters: { ...plain.parameters, [name]: value } };
}

const headersOf = (name: string) => populated.askers.find((asker) => asker.name === name)?.headers ?? {};
/** Somebody who may call the route: what only administrators or only pages may, they do. */
function asWhoMay({ access, credentials }: Route): Readonly<Record<string, string>> {
  if (!credentials.includes('token') && credentials.includes('session')) return headersOf('session');
  return headersOf(access.on === 'instance' && access.ability === 'admin' ? 'administrator' : 'owner');
}

async function ask(shot: Shot, headers: Readonly<Record<string, string>> = asWhoMay(shot.route)) {
  const { method, url, headers: own, payload } = wire(shot);
  const body = payload === undefined ? {} : { payload };
  const got = await populated.world.app.server.inject({ method, url, headers: { ...own, ...headers }, ...body });
  // One of the requests ends the token or session that it is made with.
  if (got.statusCode === 401) await populated.askers.find((asker) => asker.headers === headers)?.renew?.();
  return {
    status: got.statusCode,
    body: got.body,
    told: `${method} ${url.slice(0, 200)} ${(payload ?? '').slice(0, 200)}`,
  };
}

const faults = () =>
  populated.world.app.logs.filter((line) => line.includes('"level":"error"')).map((line) => line.slice(0, 600));

// First: its job runs until one of the requests below ends it.
test('security 1, 3: a body that claims to be an upload is none', async () => {
  const { world, known } = populated;
  const upload = routes().find(({ method, path: at }) => method === 'POST' && at === '/jobs/:id/artifacts');
  if (!upload) throw new Error('no route for uploads');
  const [token] = known(upload, 'token');
  const [id] = known(upload, 'id');
  const secret = path.join(world.app.directory, 'secret.txt');
  const claim = { kind: 'file', path: secret, filename: 'x.zip', contentType: 'application/zip', size: 1, sha256: 'x' };
  const form = Object.entries(claim)
    .map(([key, value]) => `file[${key}]=${encodeURIComponent(value)}`)
    .join('&');
  for (const [type, payload] of [
    ['application/json', JSON.stringify({ file: claim })],
    ['application/x-www-form-urlencoded', form],
  ] as const) {
    const got = await world.app.server.inject({
      method: 'POST',
      url: `/api/v4/jobs/${id}/artifacts`,
      headers: { 'job-token': String(token), 'content-type': type },
      payload,
    });
    expect([got.statusCode, got.json()]).toEqual([400, { message: '400 Bad request - file is missing' }]);
  }
  expect(await readFile(secret, 'utf8')).toBe(canaryText);
});

describe('in every parameter of every route', () => {
  test('security rule 4, 12: an array or a hash where a scalar is declared is 400, in text and in JSON', async () => {
    // The second from handlers of values that may have several types.
    const reasons = ['is invalid', 'does not have a valid value'];
    type Kind = 'query' | 'json' | 'form';
    interface Refusal {
      readonly route: Route;
      readonly kind: Kind;
      readonly values: Readonly<Record<string, unknown>>;
    }
    const valuesFor = (type: string | undefined, kind: Kind): readonly unknown[] => {
      const values = type === 'array' ? [{ x: 'y' }] : type === 'object' ? [['x']] : [['x'], { x: 'y' }, [], {}];
      // Text cannot say that an array or a hash is empty.
      return values.filter((value) => kind === 'json' || Object.keys(value).length > 0);
    };
    /** All parameters of a route at once, as each is refused by its name; one by one where combinations are asked. */
    const misshapen = (route: Route): Refusal[] => {
      const names = declared(route).filter(([name, { type }]) => !inPath(route, name) && type !== undefined);
      const kinds: readonly Kind[] = route.method === 'GET' || route.rawBody ? ['query'] : ['query', 'json', 'form'];
      return kinds.flatMap((kind) => {
        const single = names.flatMap(([name, { type }]) => valuesFor(type, kind).map((value) => ({ [name]: value })));
        if (exhaustiveSweeps()) return single.map((values) => ({ route, kind, values }));
        return [0, 1, 2, 3].flatMap((round) => {
          const values = names.flatMap(([name, { type }]) => {
            const value = valuesFor(type, kind)[round];
            return value === undefined ? [] : [[name, value] as const];
          });
          return values.length > 0 ? [{ route, kind, values: Object.fromEntries(values) }] : [];
        });
      });
    };
    const all = sampledOfEach(routes().map(misshapen));
    let reached = 0;
    let asked = 0;
    const wrong: string[] = [];
    /** The names that an answer refuses; null where the gate refused before anything was read. */
    async function refusedBy({ route, kind, values }: Refusal): Promise<readonly string[] | null> {
      const { access, credentials } = route;
      const byToken = credentials.includes('token') && access.on !== 'credential';
      const plain = plainShot(route, populated.known);
      const shot = { ...plain, parameters: { ...plain.parameters, ...values }, kind };
      const got = await ask(shot, byToken ? headersOf('administrator') : asWhoMay(route));
      const names = Object.keys(values);
      const refused =
        got.status === 400 && got.body.startsWith('{"error":')
          ? names.filter((name) => reasons.some((reason) => got.body.includes(`${name} ${reason}`)))
          : [];
      // Places that need a right of their own are not reached by everybody; the gate comes first.
      if (refused.length === 0 && [401, 403, 404].includes(got.status)) return null;
      if (names.length === 1 && refused.length === 0)
        wrong.push(`${got.told}: ${got.status} ${got.body.slice(0, 150)}`);
      return refused;
    }
    await severalAtOnce(all, async (refusal) => {
      const names = Object.keys(refusal.values);
      asked += names.length;
      const refused = await refusedBy(refusal);
      reached += refused?.length ?? 0;
      if (refused === null || names.length === 1) return;
      // Where something was wrong before its turn came, it is asked alone.
      for (const name of names.filter((each) => !refused.includes(each))) {
        const alone = await refusedBy({ ...refusal, values: { [name]: refusal.values[name] } });
        reached += alone?.length ?? 0;
      }
    });
    expect(wrong).toEqual([]);
    expect(reached).toBeGreaterThan(asked * 0.95);
  }, 600_000);

  test('security 4: options of git and ssh as refs, paths and names do nothing', async () => {
    const options = [
      '-h',
      `--output=${canary}/output`,
      `--upload-pack=touch ${canary}/pack`,
      `-oProxyCommand=touch ${canary}/proxy`,
    ];
    const all = routes().map((route) =>
      declared(route)
        .filter(([, schema]) => isText(schema) || (schema.items && isText(schema.items)))
        .flatMap(([name, schema]) =>
          options.map((option) => withValue(route, name, schema.type === 'array' ? [option] : option)),
        ),
    );
    const shots = sampledOfEach(all);
    // Those inside the actions of a commit.
    const commits = routes().filter(({ method, path: at }) => method === 'POST' && at.endsWith('/repository/commits'));
    for (const route of commits)
      for (const option of options)
        for (const action of ['create', 'update', 'delete', 'move', 'chmod'])
          shots.push(
            withValue(route, 'actions', [
              { action, file_path: option, previous_path: option, content: 'x', last_commit_id: option },
            ]),
          );
    const wrong: string[] = [];
    let within = 0;
    await severalAtOnce(shots, async (shot) => {
      const got = await ask(shot);
      if (got.status !== 401 && got.status !== 403) within += 1;
      if (got.status >= 500 || /usage: git|unknown option|ambiguous argument/i.test(got.body))
        wrong.push(`${got.told}: ${got.status} ${got.body.slice(0, 200)}`);
    });
    expect(wrong).toEqual([]);
    expect(all.flat().length).toBeGreaterThan(500);
    // Behind the gate, where a value could do something.
    expect(within).toBeGreaterThan(shots.length * 0.8);
    expect(await readdir(canary)).toEqual([]);
    expect(faults()).toEqual([]);
  }, 600_000);

  test('security 2, rule 5: no path of a user leaves what it is below', async () => {
    const depths = Array.from({ length: 21 }, (_, depth) => depth);
    const all = routes().map((route) =>
      declared(route)
        .filter(([name, schema]) => isText(schema) && (inPath(route, name) || /path|ref|sha|name|format/.test(name)))
        .flatMap(([name]) => {
          const some = Object.values(route.responses).includes(Binary) ? depths : [0, 4, 8];
          return some.map((depth) => withValue(route, name, `${'../'.repeat(depth)}secret.txt`));
        }),
    );
    const shots = sampledOfEach(all);
    const wrong: string[] = [];
    await severalAtOnce(shots, async (shot) => {
      const got = await ask(shot);
      if (got.status >= 500 || got.body.includes(canaryText))
        wrong.push(`${got.told}: ${got.status} ${got.body.slice(0, 200)}`);
    });
    expect(wrong).toEqual([]);
    expect(all.flat().length).toBeGreaterThan(300);
  }, 600_000);

  test('security 10, rule 9: long adversarial text costs no more than its length', async () => {
    /** What backtracks takes a minute for a fifth of the largest body already. */
    const bodyLength = exhaustiveSweeps() ? 1_000_000 : 200_000;
    /** A request's head is 16 KiB at most. */
    const urlLength = 15_000;
    /** Of this process for one request: an expression that backtracks takes minutes of it. */
    const budgetMilliseconds = 1_500;
    const patterns = ['a'.repeat(32), ' ', '1', '/', '((a+)+'].map(
      (unit) => (length: number) => `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length - 1)}!`,
    );
    const wrong: string[] = [];
    let most = 0;
    let asked = 0;
    const texts = routes().flatMap((route) =>
      declared(route)
        .filter(([, schema]) => isText(schema) && !schema['x-id-or-path'])
        .map(([name, schema]) => ({ route, name, schema })),
    );
    for (const { route, name, schema } of sampled(texts)) {
      const longest = route.method === 'GET' || route.rawBody || inPath(route, name) ? urlLength / 3 : bodyLength;
      const long = schema.maxLength !== undefined && schema.maxLength <= longest;
      for (const [at, pattern] of patterns.entries()) {
        // What is refused for its length alone needs no more than one look.
        if (long && at > 1) break;
        const shot = withValue(route, name, pattern(Math.max(2, long ? (schema.maxLength ?? 2) : longest)));
        const before = process.cpuUsage();
        const got = await ask(shot);
        const { user, system } = process.cpuUsage(before);
        const spent = (user + system) / 1000;
        most = Math.max(most, spent);
        asked += 1;
        if (got.status >= 500) wrong.push(`${got.told}: ${got.status} ${got.body.slice(0, 200)}`);
        if (spent > budgetMilliseconds) wrong.push(`${got.told}: ${spent.toFixed(0)} ms`);
      }
    }
    console.log(`${asked} requests with long text; the dearest took ${most.toFixed(0)} ms of this process`);
    expect(wrong).toEqual([]);
    expect(texts.length).toBeGreaterThan(300);
    expect(asked).toBeGreaterThan(sampledCount(300));
  }, 600_000);
});
