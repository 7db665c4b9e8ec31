/** The database of this process: the embedded one, owned by one process, or the one that the operator gave. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseAddress, Listener } from '../db/index.ts';
import type { Lifecycle } from './lifecycle.ts';
import { claimDirectory, currentOwner, inUse } from './owner.ts';

interface DatabaseLog {
  info(message: string): void;
  warn(message: string): void;
}

export interface OpenDatabaseOptions {
  /** The data directory. */
  readonly data: string;
  readonly databaseUrl: string | null;
  readonly lifecycle: Lifecycle;
  readonly log: DatabaseLog;
  /** A command beside a running server uses its database instead of refusing. */
  readonly beside?: boolean;
  /** How long an embedded server may take to stop before it is forced, in milliseconds; default 3,000. */
  readonly stopTimeout?: number;
}

export interface OpenedDatabase {
  readonly address: DatabaseAddress;
  /**
   * Keeps the lock that makes the owner of an embedded database certain. Throws DirectoryInUse when another process has
   * it; that one's server keeps running.
   */
  own(listener: Listener): Promise<void>;
}

const stopMilliseconds = 3000;

/**
 * Answers how to connect, after starting the embedded server if no URL was given; it is stopped last. Throws
 * DirectoryInUse when the data directory has another owner.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenedDatabase> {
  const { data, lifecycle, log, stopTimeout = stopMilliseconds } = options;
  // Passable, because the embedded server and jobs have other uids and own directories further down.
  await mkdir(data, { recursive: true, mode: 0o711 });
  if (options.databaseUrl !== null) {
    return { address: { connectionString: options.databaseUrl }, own: async () => undefined };
  }
  const beside = options.beside === true && (await currentOwner(data)) !== null;
  if (!beside) lifecycle.onStop('data directory', await claimDirectory(data));
  const { startPostgres } = await import('@millrace/postgres');
  const server = await startPostgres({ dataDir: path.join(data, 'postgres'), log, stopTimeout });
  if (beside) return { address: server.connection, own: async () => undefined };
  // One that was running already may be another owner's until the lock says that it is not.
  let ours = !server.adopted;
  lifecycle.onStop('postgres', async () => {
    if (ours) await server.stop();
  });
  return {
    address: server.connection,
    own: async (listener) => {
      if (!(await listener.hold('data-directory'))) throw inUse(data, null);
      ours = true;
    },
  };
}
