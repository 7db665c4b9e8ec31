/** The product's composition on a test's database and directory, with its log in hand. */
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { type App, buildApp, type Kernels } from '../src/app.ts';
import { loadInstanceKeys } from '../src/features/repository/index.ts';
import { loadConfig } from '../src/kernel/config/config.ts';
import { createDump } from '../src/kernel/db/dump.ts';
import { createDb, createPool, startListener } from '../src/kernel/db/index.ts';
import { createStorages } from '../src/kernel/health/storages.ts';
import { openObjectStore } from '../src/kernel/objects/index.ts';
import { keptWhileBackedUp } from '../src/kernel/objects/kept-while.ts';
import { builtInRunner } from '../src/kernel/process/built-in-runner.ts';
import { holdPort } from '../src/kernel/process/port.ts';
import { createQueue } from '../src/kernel/queue/index.ts';
import { secretsFrom } from '../src/kernel/secrets/index.ts';
import { createLogger } from '../src/kernel/telemetry/index.ts';
import { noMetrics } from '../src/kernel/telemetry/metrics.ts';
import type { TestAppOptions } from './app.ts';
import type { TestDatabase } from './database.ts';
import { recordExamples } from './examples.ts';
import { sharedSpawner } from './spawner.ts';

export interface ComposedApp extends Omit<App, 'close'> {
  readonly kernels: Kernels;
  readonly db: Kernels['db'];
  /** Every log line so far, as JSON. */
  readonly logs: string[];
  /** Listens on a free loopback port and answers its URL. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/** The application, not listening yet. */
export async function compose(
  database: TestDatabase,
  directory: string,
  options: TestAppOptions,
): Promise<ComposedApp> {
  const logs: string[] = [];
  const log = createLogger('debug', { write: (line) => void logs.push(line) });
  const host = '127.0.0.1';
  // Links hold the port, so that it has to be known before the server listens.
  const held = await holdPort(host);
  const { port } = held;
  const { values: config } = loadConfig(
    {
      MILLRACE_DATA: directory,
      MILLRACE_HOST: host,
      MILLRACE_PORT: String(port),
      MILLRACE_URL: options.externalUrl ?? `http://${host}:${port}`,
      MILLRACE_RUNNER: 'off',
      ...options.environment,
    },
    null,
  );
  for (const storage of Object.values(config.repositories)) await mkdir(storage, { recursive: true, mode: 0o700 });
  const key = randomBytes(32);
  // Backups hold it.
  await writeFile(config.secrets, `${key.toString('base64')}\n`, { mode: 0o600 });
  const pool = createPool({ ...database, max: 8, log });
  const db = createDb(pool);
  const lockDb = createDb(createPool({ ...database, max: 4, log }));
  const copies = createPool({ ...database, max: 2, copies: true, log });
  const listener = await startListener({ address: database, log });
  const stopping = new AbortController();
  const kernels: Kernels = {
    config,
    externalUrl: config.url ?? '',
    release: { version: '0.0.0-test', revision: 'test' },
    instanceKeys: await loadInstanceKeys(config, config.url ?? ''),
    log,
    metrics: noMetrics,
    db,
    lockDb,
    dump: createDump(copies),
    runner: (token) => builtInRunner({ config, url: () => `http://${host}:${port}`, token, log }),
    listener,
    secrets: secretsFrom(key),
    objects: keptWhileBackedUp(await openObjectStore(config), db),
    stopping: stopping.signal,
    storages: createStorages(config.repositories, noMetrics),
    checks: { database: async () => void (await pool.query('select 1')) },
  };
  const app = buildApp(kernels, {
    strict: true,
    features: options.features ?? [],
    quickPasswords: true,
    ...(options.ownProcesses ? {} : { gitSpawner: sharedSpawner() }),
    // Tests call nobody: names lead nowhere.
    resolve: async () => [],
  });
  recordExamples(app.server, app.routes);
  const { tasks } = app;
  // The runners of tests send nothing between their requests: on a slow machine they would count as lost.
  const cron = app.cron.filter(({ task }) => task !== 'ci.watch_runners');
  // Attempts that are put off for a second are not put off for three.
  const looks = { concurrency: 4, pollInterval: 400 };
  const queue = options.background ? createQueue({ pool, db, listener, tasks, cron, log, ...looks }) : undefined;
  await listener.ready();
  return {
    ...app,
    kernels,
    db,
    logs,
    listen: async () => {
      const url = await app.server.listen({ host, port, ...held.listen });
      await held.release();
      await queue?.start();
      if (queue) app.delivery.start();
      return url;
    },
    close: async () => {
      stopping.abort();
      await held.release();
      await app.ssh.close();
      app.server.server.closeAllConnections();
      await app.server.close();
      await app.delivery.stop();
      await queue?.stop();
      await app.close();
      await listener.stop();
      await copies.end();
      await lockDb.destroy();
      await db.destroy();
    },
  };
}
