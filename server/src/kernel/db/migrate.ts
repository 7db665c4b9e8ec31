/** Brings the schema up to date: forward only, each step in its own transaction, one process at a time. */
import type pg from 'pg';
import { lockKey } from './locks.ts';
import { type Migration, migrations as ours } from './migrations/index.ts';

export interface MigrateOptions {
  readonly migrations?: readonly Migration[];
  /** Other owners of schemas in this database, run under the same lock after our own steps. */
  readonly also?: ReadonlyArray<(client: pg.PoolClient) => Promise<void>>;
  readonly log?: { info(details: object, message: string): void };
}

/** The database cannot be used by this program. */
class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

const table = `create table if not exists schema_migrations (
  name text primary key,
  applied_at timestamptz(3) not null default now()
)`;

async function applied(client: pg.PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name');
  return rows.map(({ name }) => name);
}

/** Steps that the database has and the list has not: it was used by a newer program. */
function refuseNewer(names: readonly string[], list: readonly Migration[]): void {
  const known = new Set(list.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new SchemaError(
    `the database is newer than this program: it has ${unknown.join(', ')}, this program knows up to ` +
      `${list.at(-1)?.name ?? 'nothing'}; start the newer program or restore an older backup`,
  );
}

async function applyOne(client: pg.PoolClient, migration: Migration): Promise<void> {
  await client.query('begin');
  try {
    for (const statement of migration.statements) await client.query(statement);
    await client.query('insert into schema_migrations (name) values ($1)', [migration.name]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new SchemaError(`migration ${migration.name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/** Applies what is missing and answers its names. Any number of processes may call it at the same time. */
export async function migrate(pool: pg.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const { migrations = ours, also = [], log } = options;
  const client = await pool.connect();
  const key = lockKey('migrations');
  try {
    // A step may take longer than requests may; whoever waits for it waits as long.
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1::bigint)', [key]);
    await client.query(table);
    const names = await applied(client);
    refuseNewer(names, migrations);
    const done = new Set(names);
    const missing = migrations.filter(({ name }) => !done.has(name));
    for (const migration of missing) {
      await applyOne(client, migration);
      log?.info({ migration: migration.name }, 'schema migrated');
    }
    for (const step of also) await step(client);
    return missing.map(({ name }) => name);
  } finally {
    // The session ends here: its lock and its settings end with it.
    client.release(true);
  }
}
