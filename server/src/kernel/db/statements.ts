/** How statements reach PostgreSQL: prepared where they come again, and together where they are asked for together. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';

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
export function statementNames() {
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

/** Statements that only read. */
const reads = /^\s*select\b/i;

type Names = ReturnType<typeof statementNames>;

/** Sends a statement, as a prepared one where it came before. */
async function send(client: pg.PoolClient, names: Names, text: string, values: readonly unknown[]) {
  // What takes no values is most often said once, or is no statement that can be prepared.
  const name = values.length > 0 || reads.test(text) ? names.nameOf(text) : undefined;
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
}

/** Has all that is sent meanwhile leave in one write: the driver writes each statement by itself. */
function inOneWrite<T>(client: pg.PoolClient, sending: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return sending();
  } finally {
    stream.uncork();
  }
}

/** What the query builder says to begin a transaction of the usual kind. */
const begin = 'begin';

/**
 * Connections that their users have to themselves until they release them. A transaction begins with its first statement:
 * both are sent together, and nobody waits for the answer to the first of them.
 */
export function preparing(pool: pg.Pool, names: Names): PostgresPool {
  const wrappers = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient) => {
    let beginning = false;
    const query = async (text: string, values: readonly unknown[]) => {
      if (text === begin) {
        beginning = true;
        return { command: 'BEGIN', rowCount: null, rows: [] };
      }
      if (!beginning) return await send(client, names, text, values);
      beginning = false;
      // Only a connection that is lost does not begin, and then the statement is lost with it.
      const both = inOneWrite(client, () => [client.query(begin), send(client, names, text, values)] as const);
      const [, result] = await Promise.all(both);
      return result;
    };
    return { query, release: () => client.release() } as unknown as PostgresPoolClient;
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

interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (result: pg.QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Those that one connection answers one after the other; more go to several at the same time. */
const mostTogether = 16;

/**
 * A connection for statements that stand alone. Reads that begin in the same turn of the event loop, which nearly always
 * are those that one request awaits together, are written to one connection at once and answered in their order: one
 * system call and one process of PostgreSQL instead of one for each. Whatever may wait for a lock goes by itself, so that
 * nothing waits behind it.
 */
export function pipelining(pool: pg.Pool, names: Names): PostgresPool {
  let waiting: Asked[] = [];

  async function answer(asked: readonly Asked[]): Promise<void> {
    const client = await pool.connect().catch((error: unknown) => {
      for (const { reject } of asked) reject(error);
      return null;
    });
    if (!client) return;
    const sent = inOneWrite(client, () =>
      asked.map(({ text, values, resolve, reject }) => send(client, names, text, values).then(resolve, reject)),
    );
    await Promise.all(sent);
    client.release();
  }

  function flush(): void {
    const asked = waiting;
    waiting = [];
    for (let from = 0; from < asked.length; from += mostTogether) void answer(asked.slice(from, from + mostTogether));
  }

  const query = (text: string, values: readonly unknown[]) =>
    new Promise<pg.QueryResult>((resolve, reject) => {
      const asked = { text, values, resolve, reject };
      if (!reads.test(text)) {
        void answer([asked]);
        return;
      }
      // After all that is ready to run: it may ask for more.
      if (waiting.length === 0) process.nextTick(flush);
      waiting.push(asked);
    });
  const shared = { query, release: () => undefined } as unknown as PostgresPoolClient;
  return {
    connect: async () => shared,
    end: () => pool.end(),
    options: pool.options,
  } as unknown as PostgresPool;
}
