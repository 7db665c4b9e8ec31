/** Opens what features stand on: database, schema, listener, keys, objects. Every part registers how it is stopped. */
import { mkdir } from 'node:fs/promises';
import type pg from 'pg';
import type { Kernels } from './app.ts';
import { loadInstanceKeys } from './features/repository/index.ts';
import type { Config } from './kernel/config/config.ts';
import { createDump } from './kernel/db/dump.ts';
import { createDb, createPool, migrate, startListener } from './kernel/db/index.ts';
import { readinessChecks } from './kernel/health/checks.ts';
import { createStorages } from './kernel/health/storages.ts';
import { openObjectStore } from './kernel/objects/index.ts';
import { keptWhileBackedUp } from './kernel/objects/kept-while.ts';
import { builtInRunner } from './kernel/process/built-in-runner.ts';
import { openDatabase } from './kernel/process/database.ts';
import type { Lifecycle } from './kernel/process/lifecycle.ts';
import { type HeldPort, holdPort } from './kernel/process/port.ts';
import { migrateQueue, type Queue } from './kernel/queue/index.ts';
import { checkFingerprint, loadMasterKey, secretsFrom } from './kernel/secrets/index.ts';
import type { Logger } from './kernel/telemetry/index.ts';
import { noMetrics, openMetrics } from './kernel/telemetry/metrics.ts';
import { release } from './release.ts';

export interface OpenedKernels extends Kernels {
  readonly pool: pg.Pool;
  /** The port to listen on. */
  readonly port: number;
  /** Those that the configuration leaves to us, kept for whoever listens. */
  readonly held: { readonly http: HeldPort | null; readonly ssh: HeldPort | null };
}

export interface OpenKernelsOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  /** The queue of this process, asked when readiness is. */
  readonly queue: () => Pick<Queue, 'running'>;
  /** For a command beside a running server. */
  readonly beside?: boolean;
}

/** Connections to the database: tasks and requests share them. */
const connections = 15;
/** Writers of repositories at once; each holds a lock on a connection of its own. */
const lockConnections = 8;

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** How programs on this machine reach the server. */
const localUrl = (host: string, port: number) =>
  `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : urlHost(host)}:${port}`;

export async function openKernels(options: OpenKernelsOptions): Promise<OpenedKernels> {
  const { config, log, lifecycle } = options;
  const database = await openDatabase({
    data: config.data,
    databaseUrl: config.databaseUrl,
    lifecycle,
    log: {
      info: (message) => log.info({ part: 'postgres' }, message),
      warn: (message) => log.warn({ part: 'postgres' }, message),
    },
    ...(options.beside ? { beside: true } : {}),
  });
  const listener = await startListener({ address: database.address, log });
  lifecycle.onStop('notifications', listener.stop);
  await database.own(listener);
  const pool = createPool({ ...database.address, max: connections, log });
  const db = createDb(pool);
  lifecycle.onStop('database', () => db.destroy());
  const lockDb = createDb(createPool({ ...database.address, max: lockConnections, log }));
  lifecycle.onStop('locks', () => lockDb.destroy());
  const copies = createPool({ ...database.address, max: 2, copies: true, log });
  lifecycle.onStop('dumps', () => copies.end());
  await migrate(pool, { also: [migrateQueue], log });

  const masterKey = await loadMasterKey(config.secrets);
  await checkFingerprint(db, masterKey);
  const objects = keptWhileBackedUp(await openObjectStore(config), db);
  // Owned by us alone: jobs and the embedded server run under other uids.
  for (const directory of Object.values(config.repositories)) await mkdir(directory, { recursive: true, mode: 0o700 });

  const held = {
    http: config.port === 0 ? await holdPort(config.host) : null,
    ssh: config.sshPort === 0 ? await holdPort(config.sshHost) : null,
  };
  lifecycle.onStop('ports', async () => {
    await Promise.all([held.http?.release(), held.ssh?.release()]);
  });
  const port = held.http?.port ?? config.port;
  const sshPort = held.ssh?.port ?? config.sshPort;
  const metrics = config.metricsToken === null ? noMetrics : await openMetrics();
  metrics.gauge('millrace_database_connections', 'Open database connections', () => pool.totalCount);
  metrics.gauge('millrace_database_waiting', 'Requests that wait for a database connection', () => pool.waitingCount);
  const storages = createStorages(config.repositories, metrics);
  const queue = {
    get running() {
      return options.queue().running;
    },
  };
  const externalUrl = config.url ?? `http://${urlHost(config.host)}:${port}`;
  return {
    config: { ...config, sshPort },
    externalUrl,
    instanceKeys: await loadInstanceKeys(config, externalUrl),
    release,
    log,
    metrics,
    db,
    lockDb,
    dump: createDump(copies),
    storages,
    listener,
    secrets: secretsFrom(masterKey),
    objects,
    runner: (token) => builtInRunner({ config, url: () => localUrl(config.host, port), token, log }),
    stopping: lifecycle.signal,
    checks: readinessChecks({ db, listener, objects, queue, storages }),
    pool,
    port,
    held,
  };
}
