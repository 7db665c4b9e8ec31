/** The pool, transactions, errors and locks against a real server. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { tracedWork } from '../../../test/traced-work.ts';
import {
  beforeCommit,
  createDb,
  createPool,
  type Db,
  databaseFault,
  isMissingReference,
  isUniqueViolation,
  lockInTransaction,
  lockSharedInTransaction,
  transaction,
  tryLockInTransaction,
  unanswered,
  withRepositoryLock,
} from './index.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase();
  db = createDb(createPool({ ...database, max: 5 }));
  await sql`create table pairs (a bigint primary key, b bigint not null check (b > 0), d date)`.execute(db);
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

const one = async <T>(query: ReturnType<typeof sql<T>>, handle: Db = db) => (await query.execute(handle)).rows[0];

it('reads bigint as number, dates as text and timestamps as Date', async () => {
  const row = await one(sql`select 9007199254740991::bigint as id, '2030-01-02'::date as day, now() as at`);
  expect(row).toEqual({ id: Number.MAX_SAFE_INTEGER, day: '2030-01-02', at: expect.any(Date) });
});

it('tells answers apart by the names and the types of their columns, however often they come', async () => {
  for (let times = 0; times < 3; times++) {
    expect(await one(sql`select 1::bigint as a, 2 as b`)).toEqual({ a: 1, b: 2 });
    expect(await one(sql`select '1'::text as a, 2 as b`)).toEqual({ a: '1', b: 2 });
    expect(await one(sql`select 1::bigint as b, null::int as a`)).toEqual({ b: 1, a: null });
    expect(await one(sql`select '{1}'::bigint[] as a, true as b`)).toEqual({ a: [1], b: true });
    expect(await one(sql`select`)).toEqual({});
  }
  // What one row was given, the next one does not have.
  const rows = await sql<{ a: number | null }>`select a from (values (1), (null)) as v (a)`.execute(db);
  expect(rows.rows).toEqual([{ a: 1 }, { a: null }]);
});

it('prepares statements that come again, and survives a change of their table', async () => {
  await db.connection().execute(async (connection) => {
    const read = () => one<{ a: number }>(sql`select * from pairs where a = ${1}`, connection);
    await sql`insert into pairs values (1, 1)`.execute(db);
    for (let times = 0; times < 4; times++) await read();
    const prepared = await one(
      sql`select count(*) as n from pg_prepared_statements where statement like 'select * from pairs%'`,
      connection,
    );
    expect(prepared).toEqual({ n: 1 });
    await sql`alter table pairs add column e text`.execute(db);
    expect(await read()).toMatchObject({ a: 1, e: null });
    await sql`alter table pairs drop column e`.execute(db);
    // Inside a transaction the statement cannot be saved, but the transaction runs again.
    const again = await transaction(
      connection,
      async (tx) => await one<{ a: number }>(sql`select * from pairs where a = ${1}`, tx),
    );
    expect(again).toEqual({ a: 1, b: 1, d: null });
  });
});

describe('a transaction', () => {
  const rows = async () => (await one<{ n: number }>(sql`select count(*)::int as n from pairs where a = ${600}`))?.n;
  const insert = (tx: Db) => sql`insert into pairs values (${600}, 1)`.execute(tx);

  it('begins together with its first statement', async () => {
    const { statements, trips } = await tracedWork(() => transaction(db, insert));
    expect(statements.map((text) => text.split(' ')[0])).toEqual(['begin', 'insert', 'commit']);
    expect(trips).toBe(2);
    expect(await rows()).toBe(1);
  });

  it('that fails at its first statement, or later, leaves nothing', async () => {
    await sql`delete from pairs where a = ${600}`.execute(db);
    const broken = (tx: Db) => sql`insert into pairs values (${600}, 0)`.execute(tx);
    await expect(transaction(db, broken)).rejects.toMatchObject({ constraint: 'pairs_b_check' });
    await expect(transaction(db, async (tx) => [await insert(tx), await broken(tx)])).rejects.toThrow();
    expect(await rows()).toBe(0);
  });

  it('commits together with a last statement that nobody reads the answer of, or gives up for its reason', async () => {
    const last = (tx: Db, b: number) => sql`${sql.raw(unanswered)} insert into pairs values (${600}, ${b})`.execute(tx);
    const other = (tx: Db) => one(sql`select count(*)::int as n from pairs where a = ${600}`, tx);
    const both = await tracedWork(() => transaction(db, async (tx) => [await other(tx), await last(tx, 1)]));
    expect([both.statements.length, both.trips]).toEqual([4, 2]);
    const alone = await tracedWork(() => transaction(db, (tx) => last(tx, 0)).catch((error: unknown) => error));
    expect(alone.result).toMatchObject({ constraint: 'pairs_b_check' });
    expect(alone.trips).toBe(1);
    // What follows it sees it, and falls with it.
    await expect(transaction(db, async (tx) => [await last(tx, 0), await other(tx)])).rejects.toMatchObject({
      constraint: 'pairs_b_check',
    });
    await sql`delete from pairs where a = ${600}`.execute(db);
    expect(await transaction(db, async (tx) => [await last(tx, 1), await other(tx)])).toMatchObject([{}, { n: 1 }]);
    await expect(transaction(db, (tx) => last(tx, 2).then(() => Promise.reject(new Error('no'))))).rejects.toThrow(
      'no',
    );
    // Outside of a transaction nothing waits.
    await sql`delete from pairs where a = ${600}`.execute(db);
    await db.connection().execute((connection) => last(connection, 1));
    expect(await rows()).toBe(1);
    await sql`delete from pairs where a = ${600}`.execute(db);
  });

  it('that meets a changed table with its last statement runs again', async () => {
    const last = (tx: Db) =>
      sql`${sql.raw(unanswered)} insert into pairs values (${601}, ${1}) on conflict (a) do nothing returning *`.execute(
        tx,
      );
    const one = createDb(createPool({ ...database, max: 1 }));
    for (let times = 0; times < 4; times++) await transaction(one, last);
    await sql`alter table pairs add column f text`.execute(db);
    await sql`delete from pairs where a = ${601}`.execute(db);
    await transaction(one, last);
    await one.destroy();
    expect((await sql`delete from pairs where a = ${601} returning a`.execute(db)).rows).toHaveLength(1);
    await sql`alter table pairs drop column f`.execute(db);
  });

  it('may have no statement at all', async () => {
    expect(await transaction(db, async () => 'done')).toBe('done');
    await expect(transaction(db, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await one(sql`select now() = statement_timestamp() as own`)).toEqual({ own: true });
  });
});

describe('reads that are asked for together', () => {
  const backend = (handle: Db = db) => one<{ pid: number }>(sql`select pg_backend_pid() as pid`, handle);

  it('share one connection; a write beside them, and a transaction, have their own', async () => {
    const write = sql<{ pid: number }>`with made as (insert into pairs values (${500}, 1) returning a)
      select pg_backend_pid() as pid from made`.execute(db);
    const inTransaction = transaction(db, async (tx) => {
      const pids = await Promise.all([backend(tx), backend(tx)]);
      expect(pids[0]).toEqual(pids[1]);
      return pids[0];
    });
    const [first, second, third, written, kept] = await Promise.all([
      backend(),
      backend(),
      Promise.resolve().then(() => backend()),
      write,
      inTransaction,
    ]);
    expect([second, third]).toEqual([first, first]);
    expect([first, kept]).not.toContainEqual(written.rows[0]);
    expect(kept).not.toEqual(first);
    await sql`delete from pairs where a = ${500}`.execute(db);
  });

  it('fail each by itself, prepared or not', async () => {
    const ask = (divisor: number) => one<{ a: number }>(sql`select 6 / ${divisor}::int as a`);
    for (let times = 0; times < 4; times++) {
      const asked = await Promise.allSettled([ask(3), ask(0), ask(2)]);
      expect(asked.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))).toEqual([
        { a: 2 },
        'division by zero',
        { a: 3 },
      ]);
    }
  });

  it('do not keep those waiting that are asked for later', async () => {
    const ended: string[] = [];
    const holder = createDb(createPool({ ...database, max: 1 }));
    await sql`select pg_advisory_lock(77)`.execute(holder);
    const slow = sql`select pg_advisory_lock_shared(77)`.execute(db).then(() => ended.push('slow'));
    await new Promise(setImmediate);
    await sql`select 1`.execute(db).then(() => ended.push('quick'));
    // Nothing but this ends the first one.
    await holder.destroy();
    await slow;
    expect(ended).toEqual(['quick', 'slow']);
  });

  it('go over several connections where they are very many', async () => {
    const pids = await Promise.all(Array.from({ length: 40 }, () => backend()));
    expect(new Set(pids.map((row) => row?.pid)).size).toBe(3);
  });
});

it('says which constraint was broken', async () => {
  const error = async (query: ReturnType<typeof sql>) => await query.execute(db).catch((reason: unknown) => reason);
  const unique = await error(sql`insert into pairs values (1, 1)`);
  expect(databaseFault(unique)).toMatchObject({ kind: 'unique', constraint: 'pairs_pkey', table: 'pairs' });
  expect(isUniqueViolation(unique, 'pairs_pkey')).toBe(true);
  expect(isUniqueViolation(unique, 'other')).toBe(false);
  expect(databaseFault(await error(sql`insert into pairs values (2, 0)`))).toMatchObject({
    kind: 'check',
    constraint: 'pairs_b_check',
  });
  expect(databaseFault(await error(sql`insert into pairs values (2, null)`))).toMatchObject({
    kind: 'not_null',
    column: 'b',
  });
  expect(databaseFault(await error(sql`select nothing`))).toBeNull();
  await sql`create table followers (a bigint constraint followed references pairs)`.execute(db);
  const missing = await error(sql`insert into followers values (99)`);
  expect(isMissingReference(missing, 'followed')).toBe(true);
  expect(isMissingReference(missing, 'other')).toBe(false);
  expect(isMissingReference(missing)).toBe(true);
  expect(isMissingReference(unique, 'pairs_pkey')).toBe(false);
  await sql`insert into followers values (1)`.execute(db);
  const needed = await error(sql`delete from pairs where a = 1`);
  expect([databaseFault(needed)?.constraint, isMissingReference(needed)]).toEqual(['followed', false]);
  await sql`drop table followers`.execute(db);
});

it('runs a transaction again after a deadlock', async () => {
  await sql`insert into pairs values (10, 1), (11, 1)`.execute(db);
  const attempts = [0, 0];
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const cross = (me: number, first: number, second: number) =>
    transaction(db, async (tx) => {
      attempts[me]! += 1;
      await sql`update pairs set b = b + 1 where a = ${first}`.execute(tx);
      met[me]!.resolve();
      await met[1 - me]!.promise;
      await sql`update pairs set b = b + 1 where a = ${second}`.execute(tx);
    });
  await Promise.all([cross(0, 10, 11), cross(1, 11, 10)]);
  expect(attempts[0]! + attempts[1]!).toBe(3);
  expect(await one(sql`select min(b) as low, max(b) as high from pairs where a in (10, 11)`)).toEqual({
    low: 3,
    high: 3,
  });
});

it('joins the transaction that it is called in, and rolls back all of it', async () => {
  const outcome = transaction(db, async (tx) => {
    await transaction(tx, async (inner) => {
      expect(inner).toBe(tx);
      await sql`insert into pairs values (20, 1)`.execute(inner);
    });
    throw new Error('after all');
  });
  await expect(outcome).rejects.toThrow('after all');
  expect(await one(sql`select count(*) as n from pairs where a = 20`)).toEqual({ n: 0 });
});

it('writes what a transaction gathered once, in its order, last; nothing of one that is rolled back', async () => {
  const written: (readonly number[])[] = [];
  const write = async (tx: Db, items: readonly number[]) => {
    expect(tx.isTransaction).toBe(true);
    written.push(items);
  };
  await transaction(db, async (tx) => {
    await beforeCommit(tx, write, [1, 2]);
    await transaction(tx, (inner) => beforeCommit(inner, write, [3]));
    expect(written).toEqual([]);
  });
  expect(written).toEqual([[1, 2, 3]]);
  const outcome = transaction(db, async (tx) => {
    await beforeCommit(tx, write, [4]);
    throw new Error('given up');
  });
  await expect(outcome).rejects.toThrow('given up');
  expect(written).toHaveLength(1);
});

it('a shared lock is never upgraded: two transactions that do so would deadlock', async () => {
  const upgraded = transaction(db, async (tx) => {
    await lockSharedInTransaction(tx, 'tree');
    await lockSharedInTransaction(tx, 'tree');
    await lockInTransaction(tx, 'another');
    await lockInTransaction(tx, 'tree');
  });
  await expect(upgraded).rejects.toThrow('shares the lock tree');
  await transaction(db, async (tx) => {
    await lockInTransaction(tx, 'tree');
    await lockSharedInTransaction(tx, 'tree');
    await lockInTransaction(tx, 'tree');
  });
});

it('locks by name: one holder at a time, given back with the transaction or the work', async () => {
  await transaction(db, async (tx) => {
    await lockInTransaction(tx, 'thing', 1);
    expect(await transaction(db, (other) => tryLockInTransaction(other, 'thing', 1))).toBe(false);
    expect(await transaction(db, (other) => tryLockInTransaction(other, 'thing', 2))).toBe(true);
  });
  expect(await transaction(db, (other) => tryLockInTransaction(other, 'thing', 1))).toBe(true);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} in`);
    await sql`select pg_sleep(0.01)`.execute(db);
    order.push(`${name} out`);
  };
  const take = (connection: Db, key: string) => sql`select pg_advisory_lock(${key}::bigint)`.execute(connection);
  await Promise.all([withRepositoryLock(db, 5, take, work('a')), withRepositoryLock(db, 5, take, work('b'))]);
  expect(order.map((entry) => entry.split(' ')[1])).toEqual(['in', 'out', 'in', 'out']);
  await expect(withRepositoryLock(db, 5, take, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await transaction(db, (other) => tryLockInTransaction(other, 'repository', 5))).toBe(true);
});

it('those who wait for one lock leave connections to holders of others, and take their turn in the order in which they came', async () => {
  const few = createDb(createPool({ ...database, max: 2 }));
  const take = (connection: Db, key: string) => sql`select pg_advisory_lock(${key}::bigint)`.execute(connection);
  const first = Promise.withResolvers<void>();
  const order: number[] = [];
  const turns = [0, 1, 2, 3, 4].map((turn) =>
    withRepositoryLock(few, 6, take, async () => {
      if (turn === 0) await first.promise;
      order.push(turn);
      if (turn === 2) throw new Error('no');
    }),
  );
  // While the first one still holds it.
  expect(await withRepositoryLock(few, 7, take, async () => 'at once')).toBe('at once');
  expect(order).toEqual([]);
  first.resolve();
  expect((await Promise.allSettled(turns)).map(({ status }) => status)).toEqual(
    [0, 1, 2, 3, 4].map((turn) => (turn === 2 ? 'rejected' : 'fulfilled')),
  );
  expect(order).toEqual([0, 1, 2, 3, 4]);
  await few.destroy();
});

it('logs a lost idle connection in a line that says why, without the connection itself', async () => {
  const lines: object[] = [];
  const pool = createPool({ ...database, max: 1, log: { error: (details) => lines.push(details) } });
  try {
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    client.release();
    await sql`select pg_terminate_backend(${rows[0]?.pid}::int)`.execute(db);
    await expect.poll(() => lines.length).toBe(1);
    expect(lines[0]).toEqual({ err: expect.objectContaining({ code: '57P01' }) });
    expect((lines[0] as { err: object }).err).not.toHaveProperty('client');
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  } finally {
    await pool.end();
  }
});

it('says nothing of connections that are lost while the pool ends', async () => {
  const lines: object[] = [];
  const pool = createPool({ ...database, max: 1, log: { error: (details) => lines.push(details) } });
  await pool.query('select 1');
  const lost = new Promise((resolve) => pool.once('error', resolve));
  const ended = pool.end();
  // What a server that is stopped meanwhile answers.
  pool.emit('error', Object.assign(new Error('terminating connection'), { code: '57P01' }), {});
  await Promise.all([lost, ended]);
  expect(lines).toEqual([]);
});
