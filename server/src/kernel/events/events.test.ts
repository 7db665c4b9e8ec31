/** Facts and live updates, in one process and between processes. */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { spawnModule } from '../../../test/spawned.ts';
import { createDb, createPool, type Db, type Listener, startListener, transaction } from '../db/index.ts';
import { createQueue } from '../queue/index.ts';
import {
  createDelivery,
  createLive,
  type Delivery,
  emit,
  type FactConsumer,
  publish,
  writeEventStream,
} from './index.ts';

let database: TestDatabase;
let pool: pg.Pool;
let db: Db;
let listener: Listener;
let delivery: Delivery | undefined;
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...database, max: 8 });
  db = createDb(pool);
  listener = await startListener({ address: database, log });
});
afterEach(async () => {
  await delivery?.stop();
  delivery = undefined;
  await pool.query('truncate facts');
});
afterAll(async () => {
  await listener.stop();
  await db.destroy();
  await database.drop();
});

async function deliverTo(...consumers: FactConsumer[]): Promise<Delivery> {
  delivery = createDelivery({ db, listener, consumers, log });
  delivery.start();
  await listener.ready();
  return delivery;
}

const record = (project: number, n: number) => emit(db, { kind: 'thing', project_id: project, payload: { n } });
const open = async () => (await pool.query('select id from facts where delivered_at is null')).rowCount;

it('delivers what a committed transaction recorded, with what it recorded, and nothing of one that rolled back', async () => {
  const got: unknown[] = [];
  await deliverTo({
    name: 'all',
    kinds: ['thing'],
    handle: async (fact) => void got.push(fact),
  });
  const failed = transaction(db, async (tx) => {
    await emit(tx, { kind: 'thing', payload: { lost: true } });
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await emit(db, { kind: 'other', payload: {} });
  await emit(db, { kind: 'thing', project_id: 3, namespace_id: 4, actor_id: 5, payload: { sha: 'abc' } });
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
  await deliverTo({
    name: 'all',
    kinds: ['thing'],
    handle: async ({ project_id, payload }) => {
      if (project_id === 1 && payload.n === 0) await gate.promise;
      got.push(`${project_id}:${payload.n}`);
      if (project_id === 2 && payload.n === 9) last.resolve();
    },
  });
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

it('gives a fact again to a consumer that failed, and to nobody else', async () => {
  const good: number[] = [];
  const bad: number[] = [];
  const started = await deliverTo(
    { name: 'good', kinds: ['thing'], handle: async ({ id }) => void good.push(id) },
    {
      name: 'bad',
      kinds: ['thing'],
      handle: async ({ id }) => {
        bad.push(id);
        if (bad.length < 2) throw new Error('not yet');
      },
    },
  );
  const queue = createQueue({ pool, db, listener, tasks: started.tasks, cron: [], concurrency: 1, log });
  await queue.start();
  await record(1, 0);
  await expect.poll(open).toBe(0);
  await pool.query('update graphile_worker._private_jobs set run_at = now()');
  await expect.poll(() => bad.length).toBe(2);
  expect([good.length, new Set(bad).size]).toEqual([1, 1]);
  await queue.stop();
});

it('delivers what was recorded while nobody listened', async () => {
  await record(1, 1);
  const got: unknown[] = [];
  await deliverTo({ name: 'all', kinds: ['thing'], handle: async ({ payload }) => void got.push(payload) });
  await expect.poll(() => got).toEqual([{ n: 1 }]);
});

it('shares facts and live updates between processes: one delivers each fact, all hear each update', async () => {
  const env = { DATABASE_URL: database.url };
  const processes = [1, 2].map(() => spawnModule('server/test/programs/facts.ts', ['deliver'], env));
  await Promise.all(processes.map((each) => each.line(/^started$/)));
  for (let n = 0; n < 20; n++) await emit(db, { kind: 'shared', project_id: n % 3, payload: {} });
  await transaction(db, (tx) => publish(tx, 'job:1', 'job:2'));
  await Promise.all(processes.map((each) => each.line(/^heard job:1$/)));
  await expect.poll(open).toBe(0);
  const delivered = () => processes.flatMap(({ output }) => output.filter((line) => line.startsWith('fact ')));
  await expect.poll(() => delivered().length).toBe(20);
  expect(new Set(delivered()).size).toBe(20);
  // The one that is left goes on.
  processes[0]?.kill('SIGKILL');
  await processes[0]?.exit;
  await emit(db, { kind: 'shared', payload: {} });
  await expect.poll(open).toBe(0);
  processes[1]?.kill('SIGKILL');
  await processes[1]?.exit;
});

it('writes a page its topics while it may see them, and ends when the process stops', async () => {
  const live = createLive(listener);
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
