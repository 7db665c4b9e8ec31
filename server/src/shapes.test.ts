/** Parameters of any shape to any route, as anybody: never a fault, never a hang, every answer as the document says. Slow: thousands of requests. */
import createRouter from 'find-my-way';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exhaustiveSweeps, sampledCount, sampledSeed, wholeSweeps } from '../test/sampling.ts';
import { contractOf, type OpenApiDocument } from '../test/shapes/contract.ts';
import { generator, type Shot, smaller, wire } from '../test/shapes/generate.ts';
import { createMemory } from '../test/shapes/memory.ts';
import type { Asker } from '../test/shapes/people.ts';
import { createRandom } from '../test/shapes/random.ts';
import { type PopulatedWorld, startPopulatedWorld } from '../test/shapes/world.ts';
import { openApi } from './described.ts';
import { longestTurn } from './kernel/db/locks.ts';
import type { Route } from './kernel/http/route.ts';

const requests = exhaustiveSweeps() ? 28_000 : sampledCount(20_000);
const seed = 0x6d696c6c ^ sampledSeed();
/** A request hangs that outlives what a writer of a busy repository may wait for those before it. */
const deadline = longestTurn + 5_000;
const inFlight = 16;
/** Of the routes fewer than this may stay closed to everything random. */
const closedShare = 0.15;

let populated: PopulatedWorld;
let routeOf: (method: string, url: string) => Route | null;
// Whatever is tried again is tried in a new world: what went wrong in one stays wrong in it.
beforeEach(async () => {
  populated = await startPopulatedWorld();
  const routers = new Map<string, ReturnType<typeof createRouter>>();
  for (const route of populated.world.app.routes) {
    const router = routers.get(route.method) ?? createRouter({ maxParamLength: 8192 });
    routers.set(route.method, router);
    router.on('GET', `/api/v4${route.path}`, () => undefined, route);
  }
  routeOf = (method, url) => (routers.get(method)?.find('GET', url.split('?', 1)[0] ?? '')?.store as Route) ?? null;
}, 600_000);
afterEach(() => populated.world.close());

const documentPath = (path: string) => path.replaceAll(/:([a-z_]+)/g, '{$1}').replace(/\*$/, '{path}');

interface Got {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
}

describe('security rule 4, rule 2', () => {
  test('random requests: no fault, no hang, every answer matches the OpenAPI document', async () => {
    const { world, askers, known, learn } = populated;
    const { server, routes, logs } = world.app;
    const random = createRandom(seed);
    const memory = createMemory(random);
    const shotOf = generator(random, known, memory);
    const contract = contractOf(structuredClone(openApi()) as unknown as OpenApiDocument);
    // Archives start a process each: they get their share, not nine times that of everything else.
    const often = routes.flatMap((route) =>
      route.path.includes('/archive.') ? [route] : [route, route, route, route],
    );
    const crowd = askers.flatMap((asker) => Array.from({ length: asker.weight }, () => asker));

    async function ask(shot: Shot, asker: Asker, head: boolean): Promise<Got> {
      const { method, url, headers, payload } = wire(shot);
      const answer = server.inject({
        method: head ? 'HEAD' : method,
        url,
        headers: { ...headers, ...asker.headers },
        ...(payload === undefined ? {} : { payload }),
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), deadline);
      });
      const got = await Promise.race([answer, late]);
      clearTimeout(timer);
      if (got === null) return { status: 0, type: undefined, body: 'no answer' };
      const type = got.headers['content-type'];
      return { status: got.statusCode, type: type === undefined ? undefined : String(type), body: got.body };
    }

    /** What is wrong with an answer; null when it is right. */
    function complaint(shot: Shot, got: Got, head: boolean): string | null {
      if (got.status === 0) return `no answer within ${deadline} ms`;
      if (got.status >= 500) return 'a fault';
      if (got.status >= 400 && !head) {
        if (!/^\{"(message|error)":/.test(got.body)) return 'neither message nor error';
        if (got.type !== 'application/json') return `a refusal of type ${got.type}`;
      }
      const { url, method } = wire(shot);
      // Values in the path can spell another route, or none; a path that cannot be decoded is none.
      if (got.status === 400 && got.body.includes('percent-encoded')) return null;
      const route = routeOf(method, url);
      if (route === null) return got.status === 404 || got.status === 405 ? null : 'no such route, and yet an answer';
      return contract(method, documentPath(route.path), got, head);
    }

    const told = (shot: Shot, asker: Asker) => {
      const { method, url, headers, payload = '' } = wire(shot);
      return `${method} ${url.slice(0, 400)} ${headers['content-type'] ?? ''} ${payload.slice(0, 400)} as ${asker.name}`;
    };
    /** The smallest request that still has the complaint. */
    async function shrunk(shot: Shot, asker: Asker, why: string): Promise<Shot> {
      for (const less of smaller(shot)) {
        const again = complaint(less, await ask(less, asker, false), false);
        if (again === why) return await shrunk(less, asker, why);
      }
      return shot;
    }

    const wrong: string[] = [];
    const seen = new Map<number, number>();
    const usual: number[] = [];
    const succeeded = new Set<Route>();
    let sent = 0;
    // How the requests overlap differs from run to run, and with it what they get into: where that is too little in the end
    // there are some more.
    const goesOn = () =>
      sent < requests ||
      (wholeSweeps() && sent < 60_000 && routes.length - succeeded.size >= routes.length * closedShare);
    async function worker(): Promise<void> {
      while (goesOn() && wrong.length < 20) {
        sent += 1;
        const number = sent;
        // After the first third it asks more for what nothing has got into yet, and mostly with what is valid.
        const odds = sent > requests ? 0.9 : sent > requests / 3 ? 0.35 : 0;
        const open = random.chance(odds) ? routes.filter((each) => !succeeded.has(each)) : [];
        const plainly = open.length > 0 && random.chance(0.8);
        const shot = shotOf(random.pick(open.length > 0 ? open : often), plainly);
        // What only pages, jobs or bots may, they mostly ask for.
        const { credentials, path } = shot.route;
        const kind = credentials.includes('token') ? null : credentials.includes('job') ? 'job' : 'session';
        const bot = /^\/(project|group)s\/:id\/access_tokens\/self/.exec(path)?.[1];
        const visitor = askers.filter(({ name }) => name === kind || name === `${bot} bot`);
        const teller = random.chance(0.8) ? askers.filter(({ name }) => name === shot.by) : [];
        const able = plainly ? askers.filter(({ name }) => name === 'administrator' || name === 'owner') : [];
        const likely = [teller, visitor, able].find((each) => each.length > 0);
        const asker = random.pick(likely && random.chance(plainly ? 0.9 : 0.7) ? likely : crowd);
        const head = shot.route.method === 'GET' && random.chance(0.02);
        const got = await ask(shot, asker, head);
        seen.set(got.status, (seen.get(got.status) ?? 0) + 1);
        // What goes on after them asks for what is closed: it says nothing about the mixture.
        if (number <= requests) usual.push(got.status);
        const why = complaint(shot, got, head);
        if (why !== null) {
          const least = await shrunk(shot, asker, why);
          wrong.push(`request ${number}: ${told(least, asker)}: ${got.status} ${got.body.slice(0, 200)}; ${why}`);
        }
        if (got.status >= 200 && got.status < 300) {
          succeeded.add(shot.route);
          // Files and empty answers tell nothing to go on with.
          const telling = got.type === 'application/json' && !head;
          if (telling && got.status === 201) learn(shot.route, got.body);
          if (telling) memory.learn(shot.route, shot.path, asker.name, got.body);
        }
        if (got.status === 401) await asker.renew?.();
      }
    }
    const started = performance.now();
    await Promise.all(Array.from({ length: inFlight }, worker));
    const seconds = (performance.now() - started) / 1000;
    const counts = [...seen].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(
      `${sent} requests (seed ${seed}) in ${seconds.toFixed(1)} s; ${counts.join(', ')}; ${succeeded.size} of ${routes.length} routes succeeded`,
    );
    // A route that nothing random gets into proves nothing.
    const closed = routes.filter((route) => !succeeded.has(route)).map(({ method, path }) => `${method} ${path}`);
    console.log(`no success: ${closed.join(', ')}`);
    for (const line of logs) if (line.includes('"level":"error"')) wrong.push(line.slice(0, 900));
    // At once: a run that is ended before its summary has said what it found.
    for (const line of wrong) console.log(line);
    expect(wrong).toEqual([]);
    const share = (from: number, to: number) =>
      usual.filter((status) => status >= from && status < to).length / usual.length;
    expect(share(200, 300)).toBeGreaterThan(0.2);
    expect(share(400, 401)).toBeGreaterThan(0.1);
    expect(share(404, 405)).toBeGreaterThan(0.05);
    // A part of the requests gets into fewer.
    expect(closed.length).toBeLessThan(routes.length * (wholeSweeps() ? closedShare : 0.6));
  }, 1_200_000);
});
