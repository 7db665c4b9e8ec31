/** The pool of connections and the query builder over it; repeated statements are sent as prepared ones. */
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Database } from './tables.ts';

/** A handle for queries: the pool, one reserved connection, or a transaction. */
export type Db = Kysely<Database>;

/** Where PostgreSQL is: a URL, or the parts of one. */
export interface DatabaseAddress {
  readonly connectionString?: string;
  readonly host?: string;
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
}

export interface PoolOptions extends DatabaseAddress {
  /** Most connections at a time; default 10. */
  readonly max?: number;
  /** Milliseconds after which PostgreSQL cancels a statement; default 30,000. */
  readonly statementTimeout?: number;
  readonly log?: { error(details: object, message: string): void };
}

const int8 = 20;
const int8Array = 1016;
const date = 1082;

const int8List = (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(Number));

/** Ids are numbers in JSON; a date has no time zone and stays text. */
const types = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return Number;
    if (oid === int8Array) return int8List;
    if (oid === date) return (text: string) => text;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};

/** What every connection of ours uses. */
export function clientConfig(options: PoolOptions): pg.ClientConfig {
  const { connectionString, host, port, user, password, database } = options;
  return {
    ...(connectionString === undefined ? { host, port, user, password, database } : { connectionString }),
    types,
    application_name: 'millrace',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
  };
}

/** A pool whose broken idle connections are logged and replaced instead of ending the process. */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(options),
    max: options.max ?? 10,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeout ?? 30_000,
  });
  const lost = (error: Error & { client?: unknown }) => {
    // The connection itself, which the pool hangs on the error, holds the text of every statement that was prepared on it.
    delete error.client;
    options.log?.error({ err: error }, 'database connection lost');
  };
  pool.on('error', lost);
  // While a connection is in use its user gets the error; the event alone would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const usesBeforePreparing = 3;
const maximumPrepared = 1000;

interface Statement {
  uses: number;
  name: string | undefined;
}

/**
 * Names for statements that come again. Texts that differ with the length of a list are many and rare: they are not
 * prepared, because every connection keeps what is prepared until it ends.
 */
function statementNames() {
  const known = new Map<string, Statement>();
  let prepared = 0;
  let serial = 0;
  const newName = () => `s${++serial}`;
  return {
    nameOf(text: string): string | undefined {
      let statement = known.get(text);
      if (!statement) {
        if (known.size >= 4 * maximumPrepared) {
          for (const [key, { name }] of known) if (name === undefined) known.delete(key);
        }
        statement = { uses: 0, name: undefined };
        known.set(text, statement);
      }
      if (statement.name === undefined && ++statement.uses >= usesBeforePreparing && prepared < maximumPrepared) {
        prepared++;
        statement.name = newName();
      }
      return statement.name;
    },
    /** After a migration made by another process the old plan is refused; a new name is a new plan. */
    renew(text: string): void {
      const statement = known.get(text);
      if (statement?.name) statement.name = newName();
    },
  };
}

/** `cached plan must not change result type`: a prepared statement met a changed table. */
export const stalePlan = '0A000';

function preparing(pool: pg.Pool): PostgresPool {
  const names = statementNames();
  const wrappers = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient): PostgresPoolClient => {
    const query = async (text: string, values: readonly unknown[]) => {
      const name = values.length > 0 ? names.nameOf(text) : undefined;
      if (name === undefined) return await client.query(text, values as unknown[]);
      try {
        return await client.query({ name, text, values: values as unknown[] });
      } catch (error) {
        if ((error as { code?: unknown }).code !== stalePlan) throw error;
        names.renew(text);
        // Inside a transaction everything is lost; transaction() runs it again.
        if (client.getTransactionStatus() !== 'I') throw error;
        return await client.query(text, values as unknown[]);
      }
    };
    return { query, release: (...args: []) => client.release(...args) } as unknown as PostgresPoolClient;
  };
  return {
    connect: async () => {
      const client = await pool.connect();
      let wrapper = wrappers.get(client);
      if (!wrapper) {
        wrapper = wrap(client);
        wrappers.set(client, wrapper);
      }
      return wrapper;
    },
    end: () => pool.end(),
    options: pool.options,
  } as unknown as PostgresPool;
}

/** The query builder over the pool; `destroy()` ends the pool. */
export const createDb = (pool: pg.Pool): Db =>
  new Kysely<Database>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
