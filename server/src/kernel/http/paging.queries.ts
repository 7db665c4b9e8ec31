/** SQL that every paged list shares: the order of a keyset list with its continuation, and counting up to the limit. */
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Db } from '../db/index.ts';
import { invalidParameters } from './errors.ts';
import { type CursorValues, countLimit } from './pagination.ts';

export type Direction = 'asc' | 'desc';

/** What a column holds; a cursor with anything else is refused before it reaches the database. */
type KeysetType = 'date' | 'integer' | 'text' | 'time';

/** One column of the order of a list. The last one must tell any two rows apart: the id. */
export interface KeysetColumn<Row> {
  /** Its key in the cursor. */
  readonly name: string;
  readonly expression: RawBuilder<unknown>;
  readonly type: KeysetType;
  readonly direction: Direction;
  /** The expression is `lower(...)`: the database folds the cursor's side too, its rules and JavaScript's differ. */
  readonly folded?: true;
  /** Rows without a value come last, in both directions. */
  readonly nullable?: true;
  readonly value: (row: Row) => string | number | Date | null;
}

/** The order of a list: one definition gives the sorting, the continuation after a cursor, and the cursor of a row. */
export interface KeysetOrder<Row> {
  readonly orderBy: RawBuilder<unknown>;
  /** Rows after the cursor; null at the beginning. Only ever narrows a list: its filters stay as they are. */
  after(cursor: CursorValues | null): RawBuilder<boolean> | null;
  cursorOf(row: Row): CursorValues;
}

const day = /^\d{4}-\d\d-\d\d$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
/** PostgreSQL knows no year 0. */
const firstTime = '0001-01-01';

function fits(type: KeysetType, value: unknown): boolean {
  switch (type) {
    case 'date':
      return typeof value === 'string' && day.test(value) && !Number.isNaN(Date.parse(value)) && value >= firstTime;
    case 'integer':
      return Number.isSafeInteger(value);
    case 'text':
      return typeof value === 'string' && !value.includes('\0');
    case 'time':
      return typeof value === 'string' && time.test(value) && !Number.isNaN(Date.parse(value)) && value >= firstTime;
  }
}

const casts = {
  date: sql.raw('date'),
  integer: sql.raw('bigint'),
  text: sql.raw('text'),
  time: sql.raw('timestamptz'),
} as const;

/** Makes an order of its columns. */
export function keysetOrder<Row>(columns: readonly KeysetColumn<Row>[]): KeysetOrder<Row> {
  const sign = (column: KeysetColumn<Row>) => sql.raw(column.direction === 'asc' ? '>' : '<');
  const bound = (column: KeysetColumn<Row>, value: string | number) => {
    const typed = sql`${value}::${casts[column.type]}`;
    return column.folded ? sql`lower(${typed})` : typed;
  };

  function checked(cursor: CursorValues): ReadonlyArray<string | number | null> {
    const names = Object.keys(cursor);
    const values = columns.map(({ name, type, nullable }) => {
      const value = Object.hasOwn(cursor, name) ? cursor[name] : undefined;
      if (value === null ? !nullable : !fits(type, value)) throw invalidParameters(['cursor is invalid']);
      return value as string | number | null;
    });
    if (names.length !== columns.length) throw invalidParameters(['cursor is invalid']);
    return values;
  }

  /** Past the value of the column, or equal to it and past those of the columns behind. */
  function chain(values: ReadonlyArray<string | number | null>, at: number): RawBuilder<boolean> {
    const column = columns[at];
    const value = values[at];
    if (!column || value === undefined) return sql<boolean>`false`;
    const { expression, nullable } = column;
    if (value === null) return sql<boolean>`(${expression} is null and ${chain(values, at + 1)})`;
    const past = nullable
      ? sql`(${expression} ${sign(column)} ${bound(column, value)} or ${expression} is null)`
      : sql`${expression} ${sign(column)} ${bound(column, value)}`;
    if (at === columns.length - 1) return sql<boolean>`${past}`;
    return sql<boolean>`(${past} or (${expression} = ${bound(column, value)} and ${chain(values, at + 1)}))`;
  }

  const oneWay = columns.every(({ direction, nullable }) => !nullable && direction === columns[0]?.direction);

  return {
    orderBy: sql.join(
      columns.map(
        ({ expression, direction, nullable }) =>
          sql`${expression} ${sql.raw(direction)}${sql.raw(nullable ? ' nulls last' : '')}`,
      ),
    ),
    after(cursor) {
      if (!cursor) return null;
      const values = checked(cursor);
      const [first] = columns;
      if (!first || !oneWay) return chain(values, 0);
      // A comparison of rows is what an index on these columns starts from.
      const bounds = columns.map((column, at) => bound(column, values[at] as string | number));
      return sql<boolean>`(${sql.join(columns.map(({ expression }) => expression))}) ${sign(first)} (${sql.join(bounds)})`;
    },
    cursorOf: (row) =>
      Object.fromEntries(
        columns.map(({ name, value }) => {
          const found = value(row);
          return [name, found instanceof Date ? found.toISOString() : found];
        }),
      ),
  };
}

/** The order by id, which every table has. */
export const idOrder = <Row extends { readonly id: number }>(
  direction: Direction,
  expression: RawBuilder<unknown> = sql`id`,
): KeysetOrder<Row> =>
  keysetOrder<Row>([{ name: 'id', expression, type: 'integer', direction, value: (row) => row.id }]);

/** A filtered query that can still be limited. */
interface Countable {
  limit(rows: number): Expression<unknown>;
}

/** How many rows a query has, counted up to one more than is ever told. */
export async function countUpTo(db: Db, query: Countable): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (${query.limit(countLimit + 1)}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}
