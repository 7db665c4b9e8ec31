/** A database of its own for each test file: cloned from the migrated template, checked for leaks and dropped after. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** How to reach the run's cluster: a socket directory and the superuser. */
export interface ClusterAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** A database to connect to for administration. */
  readonly database: string;
}

export const templateDatabase = 'millrace_template';

export interface TestDatabase extends ClusterAddress {
  /** The same as a URL; it holds the password. */
  readonly url: string;
  /** Fails when connections are still open, and drops the database. */
  drop(): Promise<void>;
}

async function asAdmin<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(inject('postgres'));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const openConnections = `select count(*)::int as open, string_agg(distinct left(query, 200), ' | ') as queries
  from pg_stat_activity where datname = $1 and backend_type = 'client backend'`;

/** PostgreSQL ends a session a moment after its client has gone. */
async function leaks(client: pg.Client, name: string): Promise<string | null> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { rows } = await client.query<{ open: number; queries: string | null }>(openConnections, [name]);
    const [row] = rows;
    if (!row || row.open === 0) return null;
    if (performance.now() > deadline) return `${row.open} connections left open, last queries: ${row.queries}`;
    await client.query('select pg_sleep(0.01)');
  }
}

/** Clones the migrated template, or another one: `template1` is empty. */
export async function createTestDatabase(template = templateDatabase): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const address = { ...inject('postgres'), database: name };
  await asAdmin((client) => client.query(`create database ${name} template ${template} strategy file_copy`));
  return {
    ...address,
    url: `postgres://${address.user}:${address.password}@/${name}?host=${encodeURIComponent(address.host)}&port=${address.port}`,
    drop: () =>
      asAdmin(async (client) => {
        const leak = await leaks(client, name);
        await client.query(`drop database ${name} with (force)`);
        if (leak) throw new Error(`test database: ${leak}`);
      }),
  };
}
