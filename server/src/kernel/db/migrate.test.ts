/** Migrations: once, by one of many, all or nothing, never backwards. */
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';
import { spawnModule } from '../../../test/spawned.ts';
import { createPool, migrate } from './index.ts';
import { migrations as all } from './migrations/index.ts';

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase('template1');
  pool = createPool({ ...database, max: 2 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const names = async () => (await pool.query<{ name: string }>('select name from schema_migrations order by name')).rows;

it('is done once by processes that start at the same time, the queue included', async () => {
  const env = { DATABASE_URL: database.url };
  const processes = [1, 2, 3].map(() => spawnModule('server/test/programs/migrate.ts', [], env));
  const lines = await Promise.all(processes.map((each) => each.line(/^migrated (.*)$/)));
  const done = lines.map(([, text]) => JSON.parse(text ?? '') as string[]).sort((a, b) => b.length - a.length);
  expect(done).toEqual([all.map(({ name }) => name), [], []]);
  const { rows } = await pool.query(
    `select to_regclass('users') is not null as ours, to_regclass('graphile_worker._private_jobs') is not null as queue`,
  );
  expect(rows).toEqual([{ ours: true, queue: true }]);
  await Promise.all(processes.map((each) => each.exit));
});

it('applies what is missing, each step all or nothing', async () => {
  const good = { name: '9001-good', statements: ['create table good (id int)'] };
  const bad = { name: '9002-bad', statements: ['create table half (id int)', 'create table half (id int)'] };
  await expect(migrate(pool, { migrations: [...all, good, bad] })).rejects.toThrow(
    /^migration 9002-bad failed: .*already exists/,
  );
  expect(await names()).toContainEqual({ name: '9001-good' });
  const { rows } = await pool.query(`select to_regclass('half') as half`);
  expect(rows).toEqual([{ half: null }]);
});

it('refuses a database that a newer program has used', async () => {
  await expect(migrate(pool)).rejects.toThrow(/the database is newer than this program: it has 9001-good/);
  await pool.query(`delete from schema_migrations where name = '9001-good'`);
  expect(await migrate(pool)).toEqual([]);
});
