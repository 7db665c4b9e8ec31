/** Cursors: what changed since data was read, whichever process is asked. */
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { createDb, createPool, type Db, type Listener, startListener } from '../db/index.ts';
import { createLive, type Live, publish } from './index.ts';

let database: TestDatabase;
let pool: pg.Pool;
let db: Db;
const listeners: Listener[] = [];
const quiet = () => undefined;

async function startLive(): Promise<Live> {
  const listener = await startListener({ address: database, log: { info: quiet, warn: quiet } });
  listeners.push(listener);
  const live = createLive(listener, db);
  await live.start();
  return live;
}
const cursorOf = (live: Live): string => live.cursor() ?? expect.unreachable('there is no cursor');
const since = (live: Live, cursor: string) => live.since(cursor) ?? expect.unreachable('the cursor is unknown');

/** Publishes, and waits until every process has heard of it. */
async function publishTo(lives: readonly Live[], ...topics: string[]): Promise<void> {
  const before = lives.map(cursorOf);
  await publish(db, ...topics);
  for (const [index, live] of lives.entries())
    await expect.poll(() => live.since(before[index] ?? '')).toEqual(expect.arrayContaining(topics));
}

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool({ ...database, max: 4 });
  db = createDb(pool);
});
afterAll(async () => {
  for (const listener of listeners) await listener.stop();
  await db.destroy();
  await database.drop();
});

describe('cursors of live updates', () => {
  it('name what changed after they were taken, each topic once', async () => {
    const live = await startLive();
    const first = cursorOf(live);
    expect(since(live, first)).toEqual([]);
    await publishTo([live], 'job:1');
    const second = cursorOf(live);
    await publishTo([live], 'job:2');
    await publishTo([live], 'job:1', 'job:3');
    expect([...since(live, first)].sort()).toEqual(['job:1', 'job:2', 'job:3']);
    expect([...since(live, second)].sort()).toEqual(['job:1', 'job:2', 'job:3']);
    expect(since(live, cursorOf(live))).toEqual([]);
  });

  it('of one process are good in another, the later started one included', async () => {
    const older = await startLive();
    const before = cursorOf(older);
    await publishTo([older], 'job:4');
    const younger = await startLive();
    // It has not heard what was before its time.
    expect(younger.since(before)).toBeNull();
    await expect.poll(() => younger.since(older.cursor() ?? '')).toEqual([]);
    const shared = cursorOf(older);
    await publishTo([older, younger], 'job:5');
    expect(since(younger, shared)).toEqual(['job:5']);
    expect(since(older, before)).toEqual(['job:4', 'job:5']);
    expect(since(older, cursorOf(younger))).toEqual([]);
  });

  it('that nobody gave out, or that are too old to answer, are unknown', async () => {
    const live = await startLive();
    const first = cursorOf(live);
    for (const wrong of ['', 'x', 'AAAAAAAAAAAA.0', `${first}x`, first.replace('.', '.-')])
      expect(live.since(wrong)).toBeNull();
    const topics = Array.from({ length: 20_000 }, (_, index) => `job:${index}`);
    await publish(db, ...topics);
    await expect.poll(() => live.since(first)).toBeNull();
    expect(since(live, cursorOf(live))).toEqual([]);
  });

  it('of the time before a lost connection are unknown after it', async () => {
    const live = await startLive();
    const before = cursorOf(live);
    await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'");
    await expect.poll(() => live.cursor()).not.toBe(before);
    await expect.poll(() => live.cursor()).not.toBeNull();
    expect(live.since(before)).toBeNull();
    await publishTo([live], 'job:6');
  });
});
