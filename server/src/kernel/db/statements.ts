/** How statements reach PostgreSQL: prepared where they come again, and together where they are asked for together. */
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';

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

/** Sends a statement under its name. Given as a configuration the driver copies it, which costs it more than all else here. */
const sendPrepared = (client: pg.PoolClient, name: string, text: string, values: readonly unknown[]) =>
  new Promise<pg.QueryResult>((resolve, reject) => {
    const query = new pg.Query(text, values as unknown[], (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
    client.query(Object.assign(query, { name }));
  });

/** Sends a statement, as a prepared one where it came before; `together` with others, which are sent before it is answered. */
async function send(client: pg.PoolClient, names: Names, text: string, values: readonly unknown[], together = false) {
  // What takes no values is most often said once, or is no statement that can be prepared.
  const name = values.length > 0 || reads.test(text) ? names.nameOf(text) : undefined;
  if (name === undefined) return await client.query(text, values as unknown[]);
  try {
    return await sendPrepared(client, name, text, values);
  } catch (error) {
    if ((error as { code?: unknown }).code !== stalePlan) throw error;
    names.renew(text);
    // Inside a transaction everything is lost; transaction() runs it again. One that was sent with its end is over already.
    if (together || client.getTransactionStatus() !== 'I') throw error;
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

/** What the query builder says to begin a transaction of the usual kind, and to end it. */
const begin = 'begin';
const ends: ReadonlySet<string> = new Set(['commit', 'rollback']);

/**
 * A statement that begins so is the last of its transaction, or nearly, and nobody reads its answer: it is sent together
 * with what follows it, which is to commit.
 */
export const unanswered = '/* unanswered */';

const noRows = (command: string) => ({ command, rowCount: null, rows: [] });

/**
 * Connections that their users have to themselves until they release them. A transaction begins with its first statement,
 * and commits with its last one where that is `unanswered`: they are sent together, and nobody waits for the answers between.
 */
export function preparing(pool: pg.Pool, names: Names): PostgresPool {
  const wrappers = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const wrap = (client: pg.PoolClient) => {
    let inTransaction = false;
    /** What waits for the next statement. */
    let held: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    const query = async (text: string, values: readonly unknown[]) => {
      if (text === begin) inTransaction = true;
      if (text === begin || (inTransaction && text.startsWith(unanswered))) {
        held.push({ text, values });
        return noRows('');
      }
      const before = held;
      held = [];
      // The query builder gives up what could not be committed: that is over already.
      const over = text === 'rollback' && !inTransaction && client.getTransactionStatus() === 'I';
      if (over) return noRows('ROLLBACK');
      if (ends.has(text)) inTransaction = false;
      // Nothing of it was sent.
      if (before[0]?.text === begin && (text === 'rollback' || (text === 'commit' && before.length === 1)))
        return noRows(text.toUpperCase());
      if (text === 'rollback' || before.length === 0) return await send(client, names, text, values);
      const sent = inOneWrite(client, () => [
        ...before.map((each) =>
          each.text === begin ? client.query(begin) : send(client, names, each.text, each.values, true),
        ),
        send(client, names, text, values, ends.has(text)),
      ]);
      // The first that fails says why; those after it only say that it did. Nothing of them is left on the connection.
      const answers = await Promise.allSettled(sent);
      for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
      return (answers.at(-1) as PromiseFulfilledResult<pg.QueryResult>).value;
    };
    const release = () => {
      inTransaction = false;
      held = [];
      client.release();
    };
    return { query, release } as unknown as PostgresPoolClient;
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
