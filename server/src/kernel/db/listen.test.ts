/** The listening session: notifications, loss and repair, locks that come back. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { type Listener, startListener } from './index.ts';

let database: TestDatabase;
let admin: pg.Client;
beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client(database);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await database.drop();
});

const log = { info: () => undefined, warn: () => undefined };
const start = () => startListener({ address: database, log });

async function withListener(work: (listener: Listener) => Promise<void>): Promise<void> {
  const listener = await start();
  try {
    await work(listener);
  } finally {
    await listener.stop();
  }
}

const heard = (listener: Listener, channel: string) =>
  new Promise<string>((resolve) => {
    const off = listener.on(channel, (payload) => {
      off();
      resolve(payload);
    });
  });

const advisoryLocks = `select count(*)::int as held from pg_locks
  where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`;

async function cutOff(): Promise<void> {
  await admin.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
}

it('hears what is sent on its channels', () =>
  withListener(async (listener) => {
    const message = heard(listener, 'odd "name"');
    await listener.ready();
    await admin.query(`select pg_notify('odd "name"', 'hello')`);
    expect(await message).toBe('hello');
  }));

it('says when it is cut off and when it is back, listens to all channels again and takes its locks again', () =>
  withListener(async (listener) => {
    const events: string[] = [];
    const back = Promise.withResolvers<void>();
    const off = listener.on('before', () => events.push('message'));
    await listener.ready();
    expect(await listener.hold('mine')).toBe(true);
    listener.onLost(() => {
      events.push(`lost, connected ${listener.connected}`);
      listener.on('during', () => undefined);
    });
    listener.onRestored(() => {
      events.push(`restored, connected ${listener.connected}`);
      back.resolve();
    });
    await cutOff();
    await back.promise;
    expect(events).toEqual(['lost, connected false', 'restored, connected true']);
    off();
    for (const channel of ['before', 'during']) {
      const message = heard(listener, channel);
      await admin.query(`select pg_notify($1, 'again')`, [channel]);
      expect(await message).toBe('again');
    }
    const holders = async () => (await admin.query(advisoryLocks)).rows;
    await expect.poll(holders).toEqual([{ held: 1 }]);
    const other = await start();
    const free = await other.tryLock('mine');
    await other.stop();
    expect(free).toBe(false);
  }));

it('gives a lock to one session at a time', () =>
  withListener(async (listener) => {
    const other = await start();
    expect(await listener.tryLock('turn')).toBe(true);
    expect(await other.tryLock('turn')).toBe(false);
    expect(await other.hold('turn')).toBe(false);
    await listener.unlock('turn');
    expect(await other.hold('turn')).toBe(true);
    await other.stop();
    await expect.poll(() => listener.tryLock('turn')).toBe(true);
  }));

it('fails when the first connection fails', async () => {
  await expect(startListener({ address: { ...database, database: 'absent' }, log })).rejects.toThrow(/does not exist/);
});
