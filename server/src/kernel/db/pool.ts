/** The pool of connections and the query builder over it. */
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { keepShapes } from './result-shapes.ts';
import { pipelining, preparing, statementNames } from './statements.ts';
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
  /** For COPY: its messages cannot follow other statements that are still being answered. */
  readonly copies?: boolean;
  readonly log?: { error(details: object, message: string): void };
}

keepShapes();

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
    pipeline: !options.copies,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeout ?? 30_000,
  });
  const lost = (error: Error & { client?: unknown }) => {
    // The server may be stopped before it has read that a connection ends.
    if (pool.ending) return;
    // The connection itself, which the pool hangs on the error, holds the text of every statement that was prepared on it.
    delete error.client;
    options.log?.error({ err: error }, 'database connection lost');
  };
  pool.on('error', lost);
  // While a connection is in use its user gets the error; the event alone would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * The query builder over the pool; `destroy()` ends the pool. Reads that are asked for together share a connection; a
 * transaction, and what `connection()` reserves, has one of its own.
 */
export function createDb(pool: pg.Pool): Db {
  const names = statementNames();
  const over = (connections: ReturnType<typeof preparing>): Db =>
    new Kysely<Database>({ dialect: new PostgresDialect({ pool: connections }) });
  const reserved = over(preparing(pool, names));
  return Object.assign(over(pipelining(pool, names)), {
    transaction: () => reserved.transaction(),
    startTransaction: () => reserved.startTransaction(),
    connection: () => reserved.connection(),
    // Each of the two would end the pool only if it had been used.
    destroy: () => pool.end(),
  });
}
