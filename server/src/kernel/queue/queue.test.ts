/** Background work: with the transaction, retried, bounded, and never lost with the process that ran it. */
import type pg from 'pg';
import Type from 'typebox';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { runWaiting } from '../../../test/queue.queries.ts';
import { spawnModule } from '../../../test/spawned.ts';
import { createDb, createPool, type Db, type Listener, startListener, transaction } from '../db/index.ts';
import {
  addJob,
  createQueue,
  defineTask,
  nextRun,
  type Queue,
  queueDepth,
  ScheduleError,
  type Task,
  unlessGone,
} from './index.ts';

let database: TestDatabase;
let pool: pg.Pool;
let db: Db;
let listener: Listener;
let queue: Queue | undefined;
const errors: string[] = [];
const quiet = () => undefined;
const log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (_details: object, text: string) => void errors.push(text),
};

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...database, max: 8 });
  db = createDb(pool);
  listener = await startListener({ address: database, log });
});
afterEach(async () => {
  await queue?.stop();
  queue = undefined;
  errors.length = 0;
});
afterAll(async () => {
  await listener.stop();
  await db.destroy();
  await database.drop();
});

const advisoryLocks = `select count(*)::int as held from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;

async function run(tasks: readonly Task[]): Promise<void> {
  queue = createQueue({ pool, db, listener, tasks, cron: [], concurrency: 4, log });
  await queue.start();
}

/** A task that records its calls, and a promise for as many as are expected. */
function recording(name: string, work: (call: number) => Promise<void> = async () => undefined) {
  const calls: Array<{ id: number; attempt: number }> = [];
  const waiting: Array<{ count: number; resolve: () => void }> = [];
  const task = defineTask(name, Type.Object({ id: Type.Integer() }), async ({ id }, { attempt }) => {
    calls.push({ id, attempt });
    for (const { count, resolve } of waiting) if (calls.length >= count) resolve();
    await work(calls.length);
  });
  const called = (count: number) =>
    new Promise<void>((resolve) => {
      waiting.push({ count, resolve });
      if (calls.length >= count) resolve();
    });
  return { task, calls, called };
}

it('runs what a committed transaction added, and nothing of one that rolled back', async () => {
  const { task, calls, called } = recording('plain');
  await run([task]);
  const failed = transaction(db, async (tx) => {
    await addJob(tx, task, { id: 1 });
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  await transaction(db, (tx) => addJob(tx, task, { id: 2 }));
  await called(1);
  expect(calls).toEqual([{ id: 2, attempt: 1 }]);
});

it('replaces a job that waits under the same key', async () => {
  const { task, calls, called } = recording('keyed');
  const soon = new Date(Date.now() + 60_000);
  await addJob(db, task, { id: 1 }, { jobKey: 'k', runAt: soon });
  await addJob(db, task, { id: 2 }, { jobKey: 'k' });
  await run([task]);
  await called(1);
  await expect.poll(() => queueDepth(db)).toEqual({ ready: 0, delayed: 0, dead: 0 });
  expect(calls).toEqual([{ id: 2, attempt: 1 }]);
});

it('tries a failed task again later, and not more often than it may', async () => {
  const { task, calls, called } = recording('failing', () => Promise.reject(new Error('out of luck')));
  await addJob(db, { ...task, maxAttempts: 2 }, { id: 1 });
  await run([task]);
  await called(1);
  await expect.poll(() => queueDepth(db)).toEqual({ ready: 0, delayed: 1, dead: 0 });
  await runWaiting(db);
  await called(2);
  await expect.poll(() => queueDepth(db)).toEqual({ ready: 0, delayed: 0, dead: 1 });
  expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(errors).toEqual(['task failed, will be retried', 'task failed for good']);
  await pool.query('delete from graphile_worker._private_jobs');
});

it('does not run a task with a payload that it does not declare', async () => {
  const { task, calls } = recording('strict');
  await addJob(db, { name: 'strict', maxAttempts: 1 }, { id: 'text' });
  await run([task]);
  await expect.poll(() => queueDepth(db)).toEqual({ ready: 0, delayed: 0, dead: 1 });
  expect(calls).toEqual([]);
  await pool.query('delete from graphile_worker._private_jobs');
});

it('tells a task when its time is over', async () => {
  const reason = Promise.withResolvers<string>();
  const task = defineTask(
    'slow',
    Type.Object({}),
    async (_payload, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      reason.resolve(String((signal.reason as Error).name));
      signal.throwIfAborted();
    },
    { timeout: 30, maxAttempts: 1 },
  );
  await addJob(db, task, {});
  await run([task]);
  expect(await reason.promise).toBe('TimeoutError');
  await expect.poll(() => queueDepth(db)).toMatchObject({ dead: 1 });
  await pool.query('delete from graphile_worker._private_jobs');
});

it('stops within its bound, telling tasks to end; what they leave is tried again', async () => {
  const running = Promise.withResolvers<void>();
  const task = defineTask('long', Type.Object({}), async (_payload, { signal }) => {
    running.resolve();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    signal.throwIfAborted();
  });
  await addJob(db, task, {});
  await run([task]);
  await running.promise;
  const started = performance.now();
  await queue?.stop();
  // The task itself would never end.
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(await queueDepth(db)).toEqual({ ready: 0, delayed: 1, dead: 0 });
  await pool.query('delete from graphile_worker._private_jobs');
});

it('takes over the work of a process that was killed', async () => {
  await addJob(db, { name: 'hang' }, { id: 7 });
  const victim = spawnModule('server/test/programs/worker.ts', [], { DATABASE_URL: database.url });
  await victim.line(/^running 7 attempt 1$/);
  const { task, calls, called } = recording('hang');
  await run([task]);
  // The victim lives: its job is not touched.
  expect(calls).toEqual([]);
  await queue?.stop();
  victim.kill('SIGKILL');
  await victim.exit;
  await expect.poll(async () => (await pool.query(advisoryLocks)).rows).toEqual([{ held: 0 }]);
  await run([task]);
  await called(1);
  expect(calls).toEqual([{ id: 7, attempt: 2 }]);
});

it('refuses tasks of the same name and cron items without a task', () => {
  const { task } = recording('twice');
  const options = { pool, db, listener, concurrency: 1, log };
  expect(() => createQueue({ ...options, tasks: [task, task], cron: [] })).toThrow('task twice is declared twice');
  expect(() => createQueue({ ...options, tasks: [], cron: [{ task: 'absent', schedule: '* * * * *' }] })).toThrow(
    /absent/,
  );
});

it('finds the next time of a schedule in its time zone, across a change of the clock', () => {
  const at = (text: string) => new Date(text);
  expect(nextRun('0 4 * * *', 'Europe/Berlin', at('2030-03-30T12:00:00Z'))).toEqual(at('2030-03-31T02:00:00Z'));
  expect(nextRun('0 4 * * *', 'UTC', at('2030-03-30T12:00:00Z'))).toEqual(at('2030-03-31T04:00:00Z'));
  expect(nextRun('*/15 9-17 * * 1-5', 'UTC', at('2030-03-29T17:50:00Z'))).toEqual(at('2030-04-01T09:00:00Z'));
  expect(nextRun('0 0 30 2 *', 'UTC', at('2030-01-01T00:00:00Z'))).toBeNull();
});

it.each([
  ['* * * *', 'UTC'],
  ['61 * * * *', 'UTC'],
  ['* * * * * *', 'UTC'],
  ['* * * * *', 'Europe/Atlantis'],
])('refuses the schedule %s in %s', (schedule, zone) => {
  expect(() => nextRun(schedule, zone, new Date())).toThrow(ScheduleError);
});

it('work about something that was removed meanwhile ends quietly; other failures are thrown', async () => {
  const failing = () => Promise.reject(new Error('no such directory'));
  await expect(unlessGone(async () => null, failing)).resolves.toBe(undefined);
  await expect(unlessGone(async () => ({ id: 1 }), failing)).rejects.toThrow('no such directory');
});
