/** How PostgreSQL would run the queries of a piece of code: for tests that a hot read has its index. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db } from '../src/kernel/db/index.ts';
import { clientConfig } from '../src/kernel/db/pool.ts';
import type { Database } from '../src/kernel/db/tables.ts';
import type { TestDatabase } from './database.ts';

/**
 * The plans of every query that `work` makes, as text, with sequential scans priced out: where one still shows up, no
 * index serves the filter, however few rows the test has.
 */
export async function plansOf(database: TestDatabase, work: (db: Db) => Promise<unknown>): Promise<string[]> {
  const made: Array<{ sql: string; parameters: readonly unknown[] }> = [];
  const db = new Kysely<Database>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ ...clientConfig(database), max: 1 }) }),
    log: ({ query }) => {
      made.push({ sql: query.sql, parameters: query.parameters });
    },
  });
  const client = new pg.Client(database);
  await client.connect();
  try {
    await work(db);
    await client.query('set enable_seqscan = off');
    const plans: string[] = [];
    for (const { sql, parameters } of made) {
      if (!/^\s*(select|update|delete|with)\b/i.test(sql)) continue;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...parameters]);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    return plans;
  } finally {
    await client.end();
    await db.destroy();
  }
}

/** Fills tables with many rows; `statements` is SQL of the test itself. */
export async function seed(database: TestDatabase, statements: string): Promise<void> {
  const client = new pg.Client(database);
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}
