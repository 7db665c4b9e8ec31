/** Facts and live updates, in one process and between processes. */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import Type from 'typebox';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { spawnModule } from '../../../test/spawned.ts';
import { Level } from '../authz/levels.ts';
import type { ProjectSubject } from '../authz/subjects.ts';
import { createDb, createPool, type Db, type Listener, startListener, transaction } from '../db/index.ts';
import type { User } from '../db/rows.ts';
import { createQueue, type Queue } from '../queue/index.ts';
import {
  createDelivery,
  createLive,
  type Delivery,
  type DeliveryLoaders,
  defineFact,
  type FactConsumer,
  issueFacts,
  on,
  onMany,
  publish,
  recordFact,
  writeEventStream,
} from './index.ts';

const thing = defineFact(
  'thing',
  Type.Object({
    n: Type.Optional(Type.Integer()),
    sha: Type.Optional(Type.String()),
    lost: Type.Optional(Type.Boolean()),
  }),
);
const ended = defineFact('job.ended', Type.Object({ n: Type.Integer() }));
const other = defineFact('other', Type.Object({}));
const shared = defineFact('shared', Type.Object({}));
const nobody = { user: async () => null, project: async () => null };

let database: TestDatabase;
let pool: pg.Pool;
let db: Db;
let listener: Listener;
let delivery: Delivery | undefined;
let queue: Queue | undefined;
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...database, max: 8 });
  db = createDb(pool);
  listener = await startListener({ address: database, log });
});
afterEach(async () => {
  await queue?.stop();
  queue = undefined;
  await delivery?.stop();
  delivery = undefined;
  await pool.query('truncate facts');
});
afterAll(async () => {
  await listener.stop();
  await db.destroy();
  await database.drop();
});

async function deliverTo(
  consumers: readonly FactConsumer[],
  loaders: DeliveryLoaders = nobody,
  more: { readonly mostHeld?: number } = {},
): Promise<Delivery> {
  delivery = createDelivery({ db, listener, consumers, loaders, log, ...more });
  delivery.start();
  await listener.ready();
  return delivery;
}

/** Runs the tasks of a delivery, until the test is over. */
async function runQueue({ tasks }: Delivery): Promise<void> {
  queue = createQueue({ pool, db, listener, tasks, cron: [], concurrency: 1, log });
  await queue.start();
}

const record = (project: number, n: number) => recordFact(db, thing, { n }, { project_id: project });
const open = async () => (await pool.query('select id from facts where delivered_at is null')).rowCount;

it('delivers what a committed transaction recorded, with what it recorded, and nothing of one that rolled back', async () => {
  const got: unknown[] = [];
  await deliverTo([{ name: 'all', handlers: [on(thing, async (fact) => void got.push(fact))] }]);
  const failed = transaction(db, async (tx) => {
    await recordFact(tx, thing, { lost: true });
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await recordFact(db, other, {});
  await recordFact(db, thing, { sha: 'abc' }, { project_id: 3, namespace_id: 4, actor_id: 5 });
  await expect.poll(() => got).toHaveLength(1);
  const fact = {
    id: expect.any(Number),
    kind: 'thing',
    project_id: 3,
    namespace_id: 4,
    actor_id: 5,
    payload: { sha: 'abc' },
  };
  expect(got).toEqual([{ ...fact, created_at: expect.any(Date) }]);
  await expect.poll(open).toBe(0);
});

it('keeps the order within a project, and a slow project does not hold up another', async () => {
  const got: string[] = [];
  const gate = Promise.withResolvers<void>();
  const last = Promise.withResolvers<void>();
  await deliverTo([
    {
      name: 'all',
      handlers: [
        on(thing, async ({ project_id, payload }) => {
          if (project_id === 1 && payload.n === 0) await gate.promise;
          got.push(`${project_id}:${payload.n}`);
          if (project_id === 2 && payload.n === 9) last.resolve();
        }),
      ],
    },
  ]);
  for (let n = 0; n < 10; n++) for (const project of [1, 2]) await record(project, n);
  await last.promise;
  expect(got.filter((entry) => entry.startsWith('1:'))).toEqual([]);
  gate.resolve();
  await expect.poll(open).toBe(0);
  const numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  for (const project of [1, 2]) {
    expect(got.filter((entry) => entry.startsWith(`${project}:`))).toEqual(numbers.map((n) => `${project}:${n}`));
  }
});

it('hundreds of jobs that end hold up nothing else of their project, and keep their own order', async () => {
  const got: string[] = [];
  const gate = Promise.withResolvers<void>();
  const pushed = Promise.withResolvers<void>();
  await deliverTo([
    {
      name: 'all',
      handlers: [
        on(ended, async ({ payload }) => {
          await gate.promise;
          got.push(`job ${payload.n}`);
        }),
        on(thing, async () => pushed.resolve()),
      ],
    },
  ]);
  for (let n = 0; n < 5; n++) await recordFact(db, ended, { n }, { project_id: 1 });
  await record(1, 0);
  await pushed.promise;
  expect(got).toEqual([]);
  gate.resolve();
  await expect.poll(open).toBe(0);
  expect(got).toEqual([0, 1, 2, 3, 4].map((n) => `job ${n}`));
});

it('a consumer gets those facts alone that it wants, and nobody waits for it with the others', async () => {
  const got: string[] = [];
  const never = Promise.withResolvers<void>();
  await deliverTo([
    { name: 'all', handlers: [on(ended, async ({ payload }) => void got.push(`all ${payload.n}`))] },
    {
      name: 'even',
      handlers: [
        on(
          ended,
          async ({ payload }) => {
            got.push(`even ${payload.n}`);
            await never.promise;
          },
          ({ payload }) => payload.n % 2 === 0,
        ),
      ],
    },
  ]);
  for (const n of [1, 3, 4]) await recordFact(db, ended, { n }, { project_id: 1 });
  await expect.poll(open).toBe(1);
  await expect.poll(() => got.toSorted()).toEqual(['all 1', 'all 3', 'all 4', 'even 4']);
  never.resolve();
  await expect.poll(open).toBe(0);
});

it('delivers new issues that follow each other together: each consumer in their order, a failure alone again', async () => {
  const one: number[] = [];
  const many: number[][] = [];
  const loads: number[] = [];
  const gate = Promise.withResolvers<void>();
  let failed = false;
  const started = await deliverTo([
    {
      name: 'one by one',
      handlers: [
        on(issueFacts.opened, async ({ payload }, { once }) => {
          await once('a load', async () => loads.push(payload.iid));
          if (payload.iid === 1) await gate.promise;
          if (payload.iid === 3 && !failed) {
            failed = true;
            throw new Error('not yet');
          }
          one.push(payload.iid);
        }),
      ],
    },
    {
      name: 'together',
      handlers: [
        onMany(issueFacts.opened, async (facts) => void many.push(facts.map(({ payload }) => payload.iid))),
        on(thing, async () => void many.push([])),
      ],
    },
  ]);
  const opened = (to: Db, iid: number) =>
    recordFact(to, issueFacts.opened, { issue_id: iid, iid, title: '' }, { project_id: 1 });
  await opened(db, 1);
  await expect.poll(() => many).toEqual([[1]]);
  // What one transaction records is found by one read.
  await transaction(db, async (tx) => {
    for (const iid of [2, 3, 4]) await opened(tx, iid);
    await recordFact(tx, thing, { n: 0 }, { project_id: 1 });
    await opened(tx, 5);
  });
  gate.resolve();
  await expect.poll(open).toBe(0);
  expect([one, many, loads]).toEqual([
    [1, 2, 4, 5],
    [[1], [2, 3, 4], [], [5]],
    [1, 2],
  ]);
  await runQueue(started);
  await pool.query('update graphile_worker._private_jobs set run_at = now()');
  await expect.poll(() => one).toEqual([1, 2, 4, 5, 3]);
});

it('a consumer that is slow holds up no other; what it has not done when the process stops is all that is left', async () => {
  const quick: number[] = [];
  const slow: number[] = [];
  const gate = Promise.withResolvers<void>();
  const consumers = (wait: Promise<void>): FactConsumer[] => [
    { name: 'quick', handlers: [on(thing, async ({ payload }) => void quick.push(payload.n ?? 0))] },
    {
      name: 'slow',
      handlers: [
        on(thing, async ({ payload }) => {
          if (payload.n === 1) await wait;
          slow.push(payload.n ?? 0);
        }),
      ],
    },
  ];
  const first = await deliverTo(consumers(gate.promise));
  for (const n of [0, 1, 2]) await record(1, n);
  await expect.poll(() => quick).toEqual([0, 1, 2]);
  await record(1, 3);
  await expect.poll(() => quick).toEqual([0, 1, 2, 3]);
  expect(slow).toEqual([0]);
  await first.stop();
  gate.resolve();
  expect(await open()).toBe(3);
  await deliverTo(consumers(Promise.resolve()));
  await expect.poll(open).toBe(0);
  expect(quick).toEqual([0, 1, 2, 3]);
  // The one that was interrupted comes again: nobody knows how far it was.
  expect(slow.filter((n) => n !== 1)).toEqual([0, 2, 3]);
  expect(slow).toContain(1);
});

it('what somebody waits for goes ahead of the other consumers, which it does not hold up when it is slow', async () => {
  const got: string[] = [];
  const slow = Promise.withResolvers<void>();
  await deliverTo([
    { name: 'other', handlers: [on(thing, async ({ payload: { n } }) => void got.push(`other ${n}`))] },
    {
      name: 'prompt',
      prompt: true,
      handlers: [
        on(thing, async ({ payload: { n } }) => {
          for (let turn = 0; turn < 3; turn += 1) await pool.query('select 1');
          if (n === 2) await slow.promise;
          got.push(`prompt ${n}`);
        }),
      ],
    },
  ]);
  await record(1, 1);
  await expect.poll(() => got).toEqual(['prompt 1', 'other 1']);
  await record(1, 2);
  await expect.poll(() => got).toEqual(['prompt 1', 'other 1', 'other 2']);
  slow.resolve();
  await expect.poll(() => got.at(-1)).toBe('prompt 2');
  await expect.poll(open).toBe(0);
});

it('holds only so many facts for a consumer that is slow, and delivers the others when there is room', async () => {
  const quick: number[] = [];
  const slow: number[] = [];
  const gate = Promise.withResolvers<void>();
  const slowly = async (n: number) => {
    await gate.promise;
    slow.push(n);
  };
  const consumers: FactConsumer[] = [
    { name: 'quick', handlers: [on(thing, async ({ payload }) => void quick.push(payload.n ?? 0))] },
    { name: 'slow', handlers: [on(thing, async ({ payload }) => await slowly(payload.n ?? 0))] },
  ];
  for (let n = 0; n < 8; n += 1) await record(1, n);
  await deliverTo(consumers, nobody, { mostHeld: 3 });
  await expect.poll(() => quick).toEqual([0, 1, 2]);
  await record(1, 8);
  await record(2, 9);
  expect(quick).toEqual([0, 1, 2]);
  gate.resolve();
  await expect.poll(open).toBe(0);
  expect(quick).toHaveLength(10);
  expect([quick, slow].map((all) => all.filter((n) => n < 9))).toEqual([
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  ]);
});

it('gives a fact again to a consumer that failed, and to nobody else', async () => {
  const good: number[] = [];
  const bad: number[] = [];
  const started = await deliverTo([
    { name: 'good', handlers: [on(thing, async ({ id }) => void good.push(id))] },
    {
      name: 'bad',
      handlers: [
        on(thing, async ({ id }) => {
          bad.push(id);
          if (bad.length < 2) throw new Error('not yet');
        }),
      ],
    },
  ]);
  await runQueue(started);
  await record(1, 0);
  await expect.poll(open).toBe(0);
  await pool.query('update graphile_worker._private_jobs set run_at = now()');
  await expect.poll(() => bad.length).toBe(2);
  expect([good.length, new Set(bad).size]).toEqual([1, 1]);
});

it('loads a user and a project once for all consumers of a fact, without the role of whoever caused it', async () => {
  const loads: string[] = [];
  const levels: unknown[] = [];
  const loaders = {
    user: async (id: number) => {
      loads.push(`user ${id}`);
      return { id, state: 'active', admin: false } as User;
    },
    project: async (id: number, userId: number | null) => {
      loads.push(`project ${id} as ${userId}`);
      return { kind: 'project', project: { id }, level: Level.developer } as ProjectSubject;
    },
  };
  const names = ['one', 'two', 'three'];
  await deliverTo(
    names.map((name) => ({
      name,
      handlers: [
        on(thing, async ({ project_id, actor_id }, context) => {
          const acting = await context.actingAs(actor_id ?? 0, project_id ?? 0);
          levels.push(acting?.subject.level, (await context.project(project_id ?? 0))?.level);
        }),
      ],
    })),
    loaders,
  );
  for (const n of [1, 2]) await recordFact(db, thing, { n }, { project_id: 3, actor_id: 5 });
  await expect.poll(open).toBe(0);
  expect(loads).toEqual(['user 5', 'project 3 as 5', 'user 5', 'project 3 as 5']);
  expect(levels.sort()).toEqual([...Array(6).fill(Level.none), ...Array(6).fill(Level.developer)]);
});

it('tries again what a consumer could not load, and refuses two handlers of one kind', async () => {
  let loads = 0;
  const project = async () => {
    loads += 1;
    if (loads === 1) throw new Error('not now');
    return null;
  };
  const got: unknown[] = [];
  const handler = on(thing, async (_fact, context) => {
    await context.project(1).catch(() => undefined);
    got.push(await context.project(1));
  });
  await deliverTo([{ name: 'again', handlers: [handler] }], { ...nobody, project });
  await record(1, 0);
  await expect.poll(() => got).toEqual([null]);
  const twice = { name: 'twice', handlers: [handler, handler] };
  expect(() => createDelivery({ db, listener, consumers: [twice], loaders: nobody, log })).toThrow(
    'twice handles a kind of fact twice',
  );
});

it('delivers what was recorded while nobody listened', async () => {
  await record(1, 1);
  const got: unknown[] = [];
  await deliverTo([{ name: 'all', handlers: [on(thing, async ({ payload }) => void got.push(payload))] }]);
  await expect.poll(() => got).toEqual([{ n: 1 }]);
});

it('shares facts and live updates between processes: one delivers each fact, all hear each update', async () => {
  const env = { DATABASE_URL: database.url };
  const processes = [1, 2].map(() => spawnModule('server/test/programs/facts.ts', ['deliver'], env));
  await Promise.all(processes.map((each) => each.line(/^started$/)));
  for (let n = 0; n < 20; n++) await recordFact(db, shared, {}, { project_id: n % 3 });
  await transaction(db, (tx) => publish(tx, 'job:1', 'job:2'));
  await Promise.all(processes.map((each) => each.line(/^heard job:1$/)));
  await expect.poll(open).toBe(0);
  const delivered = () => processes.flatMap(({ output }) => output.filter((line) => line.startsWith('fact ')));
  await expect.poll(() => delivered().length).toBe(20);
  expect(new Set(delivered()).size).toBe(20);
  // The one that is left goes on.
  processes[0]?.kill('SIGKILL');
  await processes[0]?.exit;
  await recordFact(db, shared, {});
  await expect.poll(open).toBe(0);
  processes[1]?.kill('SIGKILL');
  await processes[1]?.exit;
});

it('writes a page its topics while it may see them, and ends when the process stops', async () => {
  const live = createLive(listener, db);
  await listener.ready();
  const stopping = new AbortController();
  const allowed = new Set(['job:1', 'job:2']);
  const server = createServer((_request, response) => {
    void writeEventStream(response, {
      live,
      topics: ['job:1', 'job:2', 'job:3'],
      permitted: async (topic) => allowed.has(topic),
      stopping: stopping.signal,
      quiet: 5,
      heartbeat: 20,
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let text = '';
  const ended = Promise.withResolvers<void>();
  get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }, (response) => {
    expect(response.headers['content-type']).toBe('text/event-stream');
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', ended.resolve);
  });
  await expect.poll(() => text).toContain('retry:');
  await publish(db, 'job:1', 'job:3', 'job:9');
  await expect.poll(() => text).toContain('event: change\ndata: {"topic":"job:1"}\n\n');
  allowed.delete('job:1');
  await publish(db, 'job:1');
  await publish(db, 'job:2');
  await expect.poll(() => text).toContain('"job:2"');
  expect(text.match(/"job:\d"/g)).toEqual(['"job:1"', '"job:2"']);
  await expect.poll(() => text).toContain(': alive');
  stopping.abort();
  await ended.promise;
  await new Promise((resolve) => server.close(resolve));
});
