/** Orders of keyset lists against the database: any mixture of directions, values that repeat, values that are missing. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { HttpError } from './errors.ts';
import type { CursorValues } from './pagination.ts';
import { countUpTo, type Direction, type KeysetColumn, type KeysetOrder, keysetOrder } from './paging.queries.ts';

interface Row {
  readonly id: number;
  readonly title: string;
  readonly due_on: Date | null;
  readonly weight: number | null;
}

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await sql`create table listed (id bigint primary key, title text not null, due_on timestamptz(3), weight bigint)`.execute(
    app.db,
  );
  await sql`insert into listed
    select n, (array['b', 'B', 'a', 'ü', 'Ü', ''])[1 + n % 6],
      case when n % 4 = 0 then null else timestamptz '2026-01-01' + (n % 3) * interval '1.001 seconds' end,
      case when n % 5 = 0 then null else n % 3 end
    from generate_series(1, 60) n`.execute(app.db);
});
afterAll(async () => {
  await sql`drop table listed`.execute(app.db);
  await app.close();
});

const directions: readonly Direction[] = ['asc', 'desc'];
const id = (direction: Direction): KeysetColumn<Row> => ({
  name: 'id',
  expression: sql`id`,
  type: 'integer',
  direction,
  value: (row) => row.id,
});
const title = (direction: Direction): KeysetColumn<Row> => ({
  name: 'title',
  expression: sql`lower(title)`,
  type: 'text',
  folded: true,
  direction,
  value: (row) => row.title,
});
const due = (direction: Direction): KeysetColumn<Row> => ({
  name: 'due_on',
  expression: sql`due_on`,
  type: 'time',
  nullable: true,
  direction,
  value: (row) => row.due_on,
});
const weight = (direction: Direction): KeysetColumn<Row> => ({
  name: 'weight',
  expression: sql`weight`,
  type: 'integer',
  nullable: true,
  direction,
  value: (row) => row.weight,
});

async function rows(order: KeysetOrder<Row>, after: CursorValues | null, limit: number): Promise<Row[]> {
  const found = await sql<Row>`select * from listed where ${order.after(after) ?? sql`true`}
    order by ${order.orderBy} limit ${limit}`.execute(app.db);
  return found.rows;
}

async function walked(order: KeysetOrder<Row>, size: number): Promise<number[]> {
  const ids: number[] = [];
  let after: CursorValues | null = null;
  for (;;) {
    const page: Row[] = await rows(order, after, size);
    ids.push(...page.map((row) => row.id));
    const last = page.at(-1);
    if (!last) return ids;
    // As the client sends it back.
    after = JSON.parse(JSON.stringify(order.cursorOf(last))) as CursorValues;
  }
}

describe('[1/limits.pagination/5] a keyset order', () => {
  it('walks every row once in its order, whatever the columns, directions and missing values', async () => {
    const columns = [title, due, weight];
    const orders = directions.flatMap((first) =>
      directions.flatMap((second) => [
        [id(first)],
        ...columns.map((column) => [column(first), id(second)]),
        ...columns.flatMap((column) =>
          columns.filter((each) => each !== column).map((other) => [column(first), other(second), id(first)]),
        ),
      ]),
    );
    for (const order of orders.map((each) => keysetOrder<Row>(each))) {
      const all = (await rows(order, null, 1000)).map((row) => row.id);
      expect(all.length).toBe(60);
      expect(await walked(order, 7)).toEqual(all);
    }
  });

  it('puts missing values last in both directions', async () => {
    for (const direction of directions) {
      const found = await rows(keysetOrder<Row>([due(direction), id('asc')]), null, 60);
      expect(found.slice(-15).every((row) => row.due_on === null)).toBe(true);
    }
  });

  it('refuses a cursor of another order or with other values than its columns hold', () => {
    const order = keysetOrder<Row>([due('asc'), title('asc'), id('asc')]);
    const good = { due_on: '2026-01-01T00:00:00.000Z', title: 'x', id: 1 };
    expect(order.after(good)).not.toBeNull();
    expect(order.after({ ...good, due_on: null })).not.toBeNull();
    const bad: readonly Record<string, unknown>[] = [
      {},
      { id: 1 },
      { ...good, more: 1 },
      { ...good, id: '1' },
      { ...good, id: null },
      { ...good, id: 2 ** 53 },
      { ...good, title: null },
      { ...good, title: 'a\0' },
      { ...good, title: ['x'] },
      { ...good, due_on: 'now' },
      { ...good, due_on: '0000-01-01T00:00:00.000Z' },
      { ...good, due_on: '2026-13-01T00:00:00.000Z' },
      { ...good, due_on: '2026-01-01' },
    ];
    for (const cursor of bad) {
      expect(() => order.after(cursor as CursorValues), JSON.stringify(cursor)).toThrowError(HttpError);
    }
  });
});

it('rows are counted up to one past what is told', async () => {
  await sql`insert into listed select n, 'x' from generate_series(1000, 13000) n`.execute(app.db);
  const query = { limit: (most: number) => sql`select id from listed limit ${most}` };
  expect(await countUpTo(app.db, query)).toBe(10_001);
  await sql`delete from listed where id >= 1000`.execute(app.db);
  expect(await countUpTo(app.db, query)).toBe(60);
});
