/** startPostgres: from a directory to a server that answers, whether new, stopped, crashed or still running. */
import { chmod, chown, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Accounts, chooseAccounts } from './account.ts';
import { type Binaries, prepareBinaries } from './binaries.ts';
import {
  assertMajor,
  type ClusterPaths,
  clusterMajor,
  clusterPaths,
  createCluster,
  prepareDirectory,
  SUPERUSER,
} from './cluster.ts';
import { EmbeddedPostgresError } from './errors.ts';
import {
  foundPostmaster,
  launch,
  type Postmaster,
  readPidFile,
  servesDirectory,
  shutDown,
  waitForEnd,
} from './postmaster.ts';
import { type Settings, serverArguments } from './settings.ts';
import { logTail } from './tail.ts';

const PORT = 5432;
const DATABASE = 'millrace';
const TEMPORARY_SOCKETS = 'millrace-pg-';
// sun_path ends at 107 bytes on Linux and 103 on macOS, and the socket's own name needs 15 of them.
const LONGEST_SOCKET_DIRECTORY = 103 - '/.s.PGSQL.5432.lock'.length;
const LARGEST_LOG = 16 * 1024 * 1024;

/** `host` is the socket's directory, as `pg` and libpq take it. */
export type PostgresConnection = { host: string; port: number; user: string; password: string; database: string };

export type EmbeddedPostgres = {
  connection: PostgresConnection;
  /** The same as a `postgres://` URL. It holds the password: never log it. */
  url: string;
  /** True when the server was already running, left behind by a process that died. */
  adopted: boolean;
  /** The postmaster's process id. */
  pid: number;
  /** Ends every session, checkpoints, and resolves once the process is gone. Calling it again is harmless. */
  stop(): Promise<void>;
};

export type StartPostgresOptions = {
  /** The cluster's own directory, `<MILLRACE_DATA>/postgres`. Its parent becomes passable (o+x) when we are root. */
  dataDir: string;
  /** Server settings that win over ours, like `{ shared_buffers: '256MB' }`. */
  settings?: Settings;
  /** False for tests: no fsync anywhere. Default true. */
  durable?: boolean;
  /** How long stop() waits for the clean shutdown, in milliseconds, before it forces one. Default 6000. */
  stopTimeout?: number;
  log: { info(message: string): void; warn(message: string): void };
};

/**
 * Starts the embedded server over `dataDir`, or adopts the one that runs there, and returns once it answers a query.
 * The caller holds the lock on the data directory. Throws EmbeddedPostgresError with the end of the server's log.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<EmbeddedPostgres> {
  const { log, durable = true } = options;
  const paths = clusterPaths(resolve(options.dataDir));
  const accounts = await chooseAccounts();
  const password = await prepareDirectory(paths, accounts);
  const binaries = await prepareBinaries(paths.root, accounts.server);
  const major = await clusterMajor(paths);
  if (major === undefined) await createCluster(paths, binaries, accounts, password, durable);
  else assertMajor(paths, major, binaries);

  const adopted = await adopt(paths, binaries, password, log);
  const server = adopted ?? (await start(paths, binaries, accounts, password, options, durable));
  const connection = { ...server.connection, database: DATABASE };
  let stopping: Promise<void> | undefined;
  return {
    connection,
    url: `postgres://${SUPERUSER}:${password}@/${DATABASE}?host=${encodeURIComponent(connection.host)}&port=${PORT}`,
    adopted: adopted !== undefined,
    pid: server.postmaster.pid,
    stop: () => {
      stopping ??= stop(server, options.stopTimeout ?? 6000, log);
      return stopping;
    },
  };
}

type Server = { postmaster: Postmaster; connection: PostgresConnection };

async function adopt(
  paths: ClusterPaths,
  binaries: Binaries,
  password: string,
  log: StartPostgresOptions['log'],
): Promise<Server | undefined> {
  const file = readPidFile(paths.data);
  if (!file) return undefined;
  if (!servesDirectory(file.pid, paths.data)) {
    // The server refuses to start while the number in the file belongs to any process of its uid.
    await rm(join(paths.data, 'postmaster.pid'), { force: true });
    await removeTemporarySocket(file.socketDirectory);
    return undefined;
  }
  const postmaster = foundPostmaster(file.pid);
  if (file.status === 'stopping') {
    await waitForEnd(postmaster, 30_000);
    return undefined;
  }
  const connection = connectionTo(file.socketDirectory, password);
  let version: string;
  try {
    version = await waitForAnswer(connection, postmaster, paths, await logSize(paths));
  } catch (error) {
    // It was about to end when we found it.
    if (postmaster.hasEnded()) return await adopt(paths, binaries, password, log);
    throw error;
  }
  if (version.startsWith(binaries.minor)) {
    log.info(`PostgreSQL ${version} was still running (pid ${file.pid}): adopted`);
    return { postmaster, connection };
  }
  log.info(`PostgreSQL ${version} was still running (pid ${file.pid}): restarting it as ${binaries.minor}`);
  await shutDown(postmaster, 10_000);
  await removeTemporarySocket(file.socketDirectory);
  return undefined;
}

async function start(
  paths: ClusterPaths,
  binaries: Binaries,
  accounts: Accounts,
  password: string,
  options: StartPostgresOptions,
  durable: boolean,
): Promise<Server> {
  await prepareLog(paths, accounts);
  const host = await socketDirectory(paths, accounts);
  const args = serverArguments(host, durable, options.settings ?? {});
  const connection = connectionTo(host, password);
  const deadline = performance.now() + 15_000;
  for (;;) {
    const offset = await logSize(paths);
    const postmaster = await launch(binaries, paths.data, args, accounts.server, paths.log);
    try {
      await waitForAnswer(connection, postmaster, paths, offset);
      return { postmaster, connection };
    } catch (error) {
      if (!postmaster.hasEnded()) await shutDown(postmaster, 2000);
      // Children of a killed postmaster need a moment to notice, and hold its shared memory until then.
      const busy = (await logTail(paths.log, offset)).includes('shared memory block');
      if (!busy || performance.now() > deadline) throw error;
      await sleep(50);
    }
  }
}

/** Bytes; 0 when there is no log. */
const logSize = (paths: ClusterPaths): Promise<number> =>
  stat(paths.log).then(
    (file) => file.size,
    () => 0,
  );

async function prepareLog(paths: ClusterPaths, accounts: Accounts): Promise<void> {
  const size = await logSize(paths);
  if (size > LARGEST_LOG) await rename(paths.log, `${paths.log}.1`);
  await writeFile(paths.log, '', { flag: 'a', mode: 0o600 });
  if (accounts.server) await chown(paths.log, accounts.server.uid, accounts.server.gid);
}

/** 0700 and the server's: root passes it, no job's uid does. Long data paths get a short one in the temporary folder. */
async function socketDirectory(paths: ClusterPaths, accounts: Accounts): Promise<string> {
  let directory = paths.socket;
  if (Buffer.byteLength(directory) <= LONGEST_SOCKET_DIRECTORY)
    await mkdir(directory, { recursive: true, mode: 0o700 });
  else directory = await mkdtemp(join(tmpdir(), TEMPORARY_SOCKETS));
  await chmod(directory, 0o700);
  if (accounts.server) await chown(directory, accounts.server.uid, accounts.server.gid);
  return directory;
}

async function removeTemporarySocket(directory: string): Promise<void> {
  const ours = dirname(directory) === resolve(tmpdir()) && directory.includes(`/${TEMPORARY_SOCKETS}`);
  if (ours) await rm(directory, { recursive: true, force: true });
}

function connectionTo(host: string, password: string): PostgresConnection {
  return { host, port: PORT, user: SUPERUSER, password, database: 'template1' };
}

/**
 * Connects until the server answers, and returns its version (`18.4`). Recovery after a crash may take minutes. What the
 * server said stands in its log after `offset`, taken before it was started: it may have ended before anybody looks.
 */
async function waitForAnswer(
  connection: PostgresConnection,
  postmaster: Postmaster,
  paths: ClusterPaths,
  offset: number,
): Promise<string> {
  const deadline = performance.now() + 300_000;
  for (;;) {
    const ready = readPidFile(paths.data)?.status === 'ready';
    if (ready) {
      try {
        return await askVersion(connection);
      } catch (error) {
        if ((error as { code?: string }).code === '28P01') throw wrongPassword(paths, error);
      }
    }
    if (postmaster.hasEnded() || performance.now() > deadline) {
      const said = await logTail(paths.log, offset);
      throw new EmbeddedPostgresError(`PostgreSQL did not start; the end of ${paths.log}:\n${said}`);
    }
    await sleep(2);
  }
}

function wrongPassword(paths: ClusterPaths, cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(`PostgreSQL refuses the password in ${paths.password}: was the file replaced?`, {
    cause,
  });
}

async function askVersion(connection: PostgresConnection): Promise<string> {
  return await withClient(connection, async (client) => {
    const { rows } = await client.query<{ version: string; present: boolean }>(
      "select current_setting('server_version') as version, exists (select from pg_database where datname = $1) as present",
      [DATABASE],
    );
    const { version, present } = rows[0]!;
    // Renaming initdb's own database is instant; a copy of the template costs 200 ms of fsync at the first start.
    if (!present) await client.query(`alter database postgres rename to ${DATABASE}`);
    return version;
  });
}

async function withClient<T>(connection: PostgresConnection, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function stop(server: Server, timeout: number, log: StartPostgresOptions['log']): Promise<void> {
  const how = await shutDown(server.postmaster, timeout);
  if (how === 'forced')
    log.warn(`PostgreSQL did not stop within ${timeout} ms and was forced; it recovers at the next start`);
  await removeTemporarySocket(server.connection.host);
}
