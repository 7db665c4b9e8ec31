/** All rows of the database at one point, and the way back into an empty one: COPY, table by table. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/index.ts';

export interface DumpedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface DumpedSequence {
  readonly name: string;
  readonly value: number;
}

/** A background job that was waiting or running. */
export interface DumpedJob {
  readonly task: string;
  readonly payload: unknown;
  readonly queue: string | null;
  readonly run_at: string;
  readonly max_attempts: number;
  readonly key: string | null;
  readonly priority: number;
  readonly flags: readonly string[] | null;
}

/** The database at one point. */
export interface Snapshot {
  /** For `set transaction snapshot` of other connections. */
  readonly name: string;
  readonly at: Date;
  /** Names of the migrations that were applied. */
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  /** Rows of a table in the text format of COPY. Read one after the other. */
  rows(table: DumpedTable): Readable;
  /** Asked after the rows: sequences move on without transactions. */
  sequences(): Promise<readonly DumpedSequence[]>;
  jobs(): Promise<readonly DumpedJob[]>;
}

export interface DatabaseDump {
  /** Keeps one point of the database in view while `work` runs. */
  withSnapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

const tablesQuery = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
  group by c.relname order by c.relname`;

const jobsQuery = `
  select tasks.identifier as task, jobs.payload, queues.queue_name as queue, jobs.run_at::text as run_at,
    jobs.max_attempts, jobs.key, jobs.priority, (select array_agg(f) from jsonb_object_keys(jobs.flags) f) as flags
  from graphile_worker._private_jobs jobs
  join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
  left join graphile_worker._private_job_queues queues on queues.id = jobs.job_queue_id
  where jobs.attempts < jobs.max_attempts order by jobs.id`;

export function createDump(pool: pg.Pool): DatabaseDump {
  return {
    async withSnapshot(work) {
      const client = await pool.connect();
      try {
        await client.query('set statement_timeout = 0');
        await client.query('begin isolation level repeatable read read only');
        const { rows: head } = await client.query<{ name: string; at: Date }>(
          'select pg_export_snapshot() as name, clock_timestamp() as at',
        );
        const { rows: applied } = await client.query<{ name: string }>(
          'select name from schema_migrations order by name',
        );
        const { rows: tables } = await client.query<DumpedTable>(tablesQuery);
        const [first] = head;
        if (!first) throw new Error('the database gave no snapshot');
        return await work({
          ...first,
          migrations: applied.map(({ name }) => name),
          tables,
          rows: ({ name, columns }) =>
            client.query(copyTo(`copy ${quoted(name)} (${columns.map(quoted).join(', ')}) to stdout`)),
          sequences: async () =>
            (
              await client.query<DumpedSequence>(
                `select sequencename as name, last_value as value from pg_sequences
                 where schemaname = 'public' and last_value is not null order by 1`,
              )
            ).rows,
          jobs: async () => (await client.query<DumpedJob>(jobsQuery)).rows,
        });
      } finally {
        // The session ends here, and with it the transaction and its settings.
        client.release(true);
      }
    },
  };
}

/** What a dump is loaded from. */
interface DumpSource {
  readonly migrations: readonly string[];
  readonly tables: readonly DumpedTable[];
  /** All tables in an order that they are read in, one after the other. */
  rows(): AsyncIterable<{ readonly table: DumpedTable; readonly rows: AsyncIterable<Buffer> }>;
  readonly sequences: readonly DumpedSequence[];
  readonly jobs: readonly DumpedJob[];
}

/** Why a dump cannot be loaded into this database; null where it can. */
export async function refusalOfLoad(pool: pg.Pool, names: readonly string[]): Promise<string | null> {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    return `the backup is from a newer release: it has ${unknown.join(', ')}, which this release does not know`;
  const { rows: existing } = await pool.query<{ there: boolean }>(
    `select to_regclass('public.users') is not null as there`,
  );
  if (!existing[0]?.there) return null;
  const { rows: filled } = await pool.query<{ filled: boolean }>('select exists (select from users) as filled');
  if (filled[0]?.filled) return 'the instance is not empty: restore into a new data directory or an empty database';
  const { rows: applied } = await pool.query<{ name: string }>('select name from schema_migrations');
  const inBackup = new Set(names);
  return applied.every(({ name }) => inBackup.has(name))
    ? null
    : 'the database has a newer schema than the backup: restore into an empty database';
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

async function load(client: pg.PoolClient, source: DumpSource): Promise<void> {
  const { rows: keys } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`,
  );
  for (const { table, name } of keys) await client.query(`alter table ${table} drop constraint ${quoted(name)}`);
  const names = source.tables.map(({ name }) => quoted(name));
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  if (names.length > 0) await client.query(`truncate ${names.join(', ')}`);
  for await (const { table, rows } of source.rows()) {
    const statement = `copy ${quoted(table.name)} (${table.columns.map(quoted).join(', ')}) from stdin`;
    await pipeline(Readable.from(rows), client.query(copyFrom(statement)));
  }
  for (const { name, value } of source.sequences)
    await client.query('select setval(quote_ident($1)::regclass, $2)', [name, value]);
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  // Checks every row: a dump whose rows do not fit together is refused as a whole.
  for (const { table, name, definition } of keys)
    await client.query(`alter table ${table} add constraint ${quoted(name)} ${definition}`);
}

/**
 * Loads a dump into an empty database, in one transaction, and brings its schema up to date. `migrateQueue` makes the
 * queue's own schema, where the jobs are put again.
 */
export async function loadDump(
  pool: pg.Pool,
  source: DumpSource,
  migrateQueue: (client: pg.PoolClient) => Promise<void>,
  afterRows: (client: pg.PoolClient) => Promise<void>,
): Promise<void> {
  const names = new Set(source.migrations);
  await migrate(pool, { migrations: migrations.filter(({ name }) => names.has(name)), also: [migrateQueue] });
  const client = await pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('begin');
    await load(client, source);
    for (const job of source.jobs)
      await client.query(
        `select graphile_worker.add_job($1, payload => $2::json, queue_name => $3, run_at => $4::timestamptz,
           max_attempts => $5, job_key => $6, priority => $7, flags => $8)`,
        [
          job.task,
          JSON.stringify(job.payload),
          job.queue,
          job.run_at,
          job.max_attempts,
          job.key,
          job.priority,
          job.flags,
        ],
      );
    await afterRows(client);
    await client.query('commit');
  } finally {
    client.release(true);
  }
  await migrate(pool, { also: [migrateQueue] });
}
