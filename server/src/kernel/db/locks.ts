/** Advisory locks by name: for a transaction, or for as long as some work lasts. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from './pool.ts';

/** The 64-bit key of a lock, as text for a bigint parameter. Equal names are the same lock in every process. */
export function lockKey(...name: ReadonlyArray<string | number>): string {
  return createHash('sha256').update(name.join('\0')).digest().readBigInt64BE(0).toString();
}

const repository = (projectId: number) => lockKey('repository', projectId);

/** How open transactions hold their locks, by key: as they were first taken. */
const held = new WeakMap<Db, Map<string, 'exclusive' | 'shared'>>();

function firstHeld(tx: Db, key: string, mode: 'exclusive' | 'shared'): 'exclusive' | 'shared' {
  const locks = held.get(tx) ?? new Map<string, 'exclusive' | 'shared'>();
  held.set(tx, locks);
  const first = locks.get(key) ?? mode;
  locks.set(key, first);
  return first;
}

/**
 * Waits for the lock and keeps it to the end of the transaction. Throws where the transaction shares it already: two that
 * upgrade at the same time would wait for each other until PostgreSQL cancels one of them.
 */
export async function lockInTransaction(tx: Db, ...name: ReadonlyArray<string | number>): Promise<void> {
  const key = lockKey(...name);
  if (firstHeld(tx, key, 'exclusive') === 'shared')
    throw new Error(`the transaction shares the lock ${name.join(' ')}: take it exclusively from the start`);
  await sql`select pg_advisory_xact_lock(${key}::bigint)`.execute(tx);
}

/** Waits for the lock, which any number may hold together in this way, and keeps it to the end of the transaction. */
export async function lockSharedInTransaction(tx: Db, ...name: ReadonlyArray<string | number>): Promise<void> {
  const key = lockKey(...name);
  firstHeld(tx, key, 'shared');
  await sql`select pg_advisory_xact_lock_shared(${key}::bigint)`.execute(tx);
}

/** Takes the lock to the end of the transaction if it is free. */
export async function tryLockInTransaction(tx: Db, ...name: ReadonlyArray<string | number>): Promise<boolean> {
  const { rows } = await sql<{
    free: boolean;
  }>`select pg_try_advisory_xact_lock(${lockKey(...name)}::bigint) as free`.execute(tx);
  return rows[0]?.free === true;
}

/**
 * Holds the writer's lock on a repository while `work` runs. `work` gets the connection that holds it: using it for its
 * own transactions keeps waiting writers from starving each other of connections. The lock goes with the connection.
 * `take` is a statement that takes the lock of that key and finds what `work` begins with.
 */
export const withRepositoryLock = <T, F>(
  db: Db,
  projectId: number,
  take: (connection: Db, key: string) => Promise<F>,
  work: (connection: Db, found: F) => Promise<T>,
): Promise<T> => holding(db, repository(projectId), take, work);

/** Milliseconds that somebody waits for those before here: as long as PostgreSQL would let a statement wait. */
export const longestTurn = 30_000;
/** SQLSTATE of a statement that waited too long, for the lock among others. */
const statementTimeout = '57014';

/** Whether the wait for a lock took too long. */
export const waitedTooLong = (error: unknown): boolean => (error as { code?: unknown }).code === statementTimeout;

/** The last of those who wait for a lock here, by its key. */
const lasts = new WeakMap<Db, Map<string, Promise<void>>>();

/**
 * Runs `work` after those who came before with the same key have the lock: one of this process at a time waits for it with a
 * connection. Otherwise those who wait for one lock have all connections, and holders of others none. Who has it says
 * `taken`: if its connection ends, the next one gets the lock from PostgreSQL, whatever still goes on here.
 */
async function inTurn<T>(db: Db, key: string, work: (taken: () => void) => Promise<T>): Promise<T> {
  const queue = lasts.get(db) ?? new Map<string, Promise<void>>();
  lasts.set(db, queue);
  const before = queue.get(key);
  const own = Promise.withResolvers<void>();
  const over = Promise.all([before, own.promise]).then(() => {
    if (queue.get(key) === over) queue.delete(key);
  });
  queue.set(key, over);
  try {
    if (before) await within(before, longestTurn);
    return await work(own.resolve);
  } finally {
    own.resolve();
  }
}

async function within(before: Promise<void>, milliseconds: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(Object.assign(new Error('waited too long for a lock'), { code: statementTimeout })),
    milliseconds,
  );
  await Promise.race([before, late.promise]).finally(() => clearTimeout(timer));
}

/** Holds the named lock on a connection of its own while `work` runs. */
export const withLock = <T>(
  db: Db,
  name: ReadonlyArray<string | number>,
  work: (connection: Db) => Promise<T>,
): Promise<T> => holding(db, lockKey(...name), lock, work);

const lock = (connection: Db, key: string) => sql`select pg_advisory_lock(${key}::bigint)`.execute(connection);

/** The same where the lock is free; false, with nothing done, where somebody holds it. */
export async function withLockIfFree(
  db: Db,
  name: ReadonlyArray<string | number>,
  work: () => Promise<void>,
): Promise<boolean> {
  const key = lockKey(...name);
  return await db.connection().execute(async (connection) => {
    const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_lock(${key}::bigint) as free`.execute(
      connection,
    );
    if (rows[0]?.free !== true) return false;
    try {
      await work();
      return true;
    } finally {
      await release(connection, key);
    }
  });
}

// A connection that ended took the lock with it: what the work came to stands. One that lives must not keep it.
const release = (connection: Db, key: string) =>
  sql`select pg_advisory_unlock(${key}::bigint)`
    .execute(connection)
    .catch(() => sql`select pg_terminate_backend(pg_backend_pid())`.execute(connection))
    .catch(() => undefined);

async function holding<T, F>(
  db: Db,
  key: string,
  take: (connection: Db, key: string) => Promise<F>,
  work: (connection: Db, found: F) => Promise<T>,
): Promise<T> {
  return await inTurn(db, key, (taken) =>
    db.connection().execute(async (connection) => {
      const found = await take(connection, key);
      taken();
      try {
        return await work(connection, found);
      } finally {
        await release(connection, key);
      }
    }),
  );
}
