/** One serving process, from configuration to the ready line, and back. */
import { createSpawner } from '@millrace/git';
import { type App, buildApp } from './app.ts';
import { firstStart } from './first-start.ts';
import type { Config } from './kernel/config/config.ts';
import { createLifecycle, type Lifecycle } from './kernel/process/lifecycle.ts';
import { createQueue, type Queue } from './kernel/queue/index.ts';
import type { Logger } from './kernel/telemetry/index.ts';
import { type OpenedKernels, openKernels } from './kernels.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Lines for the person or program that started the process. */
  readonly print: (line: string) => void;
  readonly lifecycle?: Lifecycle;
  /** Somebody chose the port of SSH: without it nothing starts. The usual one may be another server's. */
  readonly sshPortChosen?: boolean;
}

export interface Serving {
  /** Where it listens. */
  readonly url: string;
  readonly lifecycle: Lifecycle;
}

/** Requests that are being answered get this long when the process stops; then their connections are closed. */
const longestAnswer = 2000;

/**
 * Starts everything and resolves when requests are answered. A failure stops what was started; so does a signal during
 * the start, which is no failure: null.
 */
export async function serve(options: ServeOptions): Promise<Serving | null> {
  const { log, lifecycle = createLifecycle(log) } = options;
  try {
    return await start(options, lifecycle);
  } catch (error) {
    const asked = lifecycle.stopping;
    await lifecycle.stop();
    if (asked) return null;
    throw error;
  }
}

/** Opens the port of git over SSH. */
async function listenSsh(
  app: App,
  { config, held }: Pick<OpenedKernels, 'config' | 'held'>,
  { log, print, sshPortChosen }: ServeOptions,
): Promise<void> {
  const { sshHost: host, sshPort: port } = config;
  if (port === null) return;
  try {
    await app.ssh.listen({ host, port, ...held.ssh?.listen });
    await held.ssh?.release();
    const fingerprints = (await app.ssh.hostKeys()).public.map(({ type, sha256 }) => `${type} SHA256:${sha256}`);
    log.info({ host, port, fingerprints }, 'git over SSH is served');
  } catch (error) {
    if (sshPortChosen || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    const text = `port ${port} of ${host} is taken: git over SSH is off (MILLRACE_SSH_PORT chooses another)`;
    log.warn(text);
    print(`SSH: ${text}`);
  }
}

async function start(options: ServeOptions, lifecycle: Lifecycle): Promise<Serving> {
  const { config, log, print } = options;
  let queue: Queue | undefined;
  const kernels = await openKernels({ config, log, lifecycle, queue: () => queue ?? { running: false } });
  lifecycle.signal.throwIfAborted();
  const gitSpawner = createSpawner();
  lifecycle.onStop('git spawner', async () => gitSpawner.close());
  const app = buildApp(kernels, { gitSpawner });
  lifecycle.onStop('app', app.close);
  const first = await firstStart(app, kernels.db, config);
  queue = createQueue({
    pool: kernels.pool,
    db: kernels.db,
    listener: kernels.listener,
    tasks: app.tasks,
    cron: app.cron,
    concurrency: config.workers,
    log,
    observe: kernels.metrics.observeTask,
  });
  await kernels.listener.ready();
  await app.live.start();
  lifecycle.onStop('queue', queue.stop);
  lifecycle.onStop('delivery', app.delivery.stop);
  lifecycle.onStop('http', async () => {
    const late = setTimeout(() => app.server.server.closeAllConnections(), longestAnswer);
    await app.server.close();
    clearTimeout(late);
  });
  lifecycle.onStop('ssh', app.ssh.close);
  lifecycle.onStop('built-in runner', app.stopRunner);
  lifecycle.signal.throwIfAborted();
  const { port, held } = kernels;
  const [url] = await Promise.all([
    app.server.listen({ host: config.host, port, ...held.http?.listen }),
    queue.start(),
  ]);
  await held.http?.release();
  await listenSsh(app, kernels, options);
  app.delivery.start();
  await app.start();

  if (first) {
    print(`URL: ${kernels.externalUrl}`);
    print(
      first.password === null
        ? 'User: root'
        : `User: root  Password: ${first.password}  (kept in ${first.passwordFile})`,
    );
  }
  print(`millrace ready ${url}`);
  log.info({ url, external_url: kernels.externalUrl, version: kernels.release.version }, 'ready');
  return { url, lifecycle };
}
