/** One serving process, from configuration to the ready line, and back. */
import { buildApp } from './app.ts';
import { firstStart } from './first-start.ts';
import type { Config } from './kernel/config/config.ts';
import { createLifecycle, type Lifecycle } from './kernel/process/lifecycle.ts';
import { createQueue, type Queue } from './kernel/queue/index.ts';
import type { Logger } from './kernel/telemetry/index.ts';
import { openKernels } from './kernels.ts';

export interface ServeOptions {
  readonly config: Config;
  readonly log: Logger;
  /** Lines for the person or program that started the process. */
  readonly print: (line: string) => void;
  readonly lifecycle?: Lifecycle;
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
  const { config, log, print, lifecycle = createLifecycle(log) } = options;
  try {
    return await start(config, log, print, lifecycle);
  } catch (error) {
    const asked = lifecycle.stopping;
    await lifecycle.stop();
    if (asked) return null;
    throw error;
  }
}

async function start(
  config: Config,
  log: Logger,
  print: (line: string) => void,
  lifecycle: Lifecycle,
): Promise<Serving> {
  let queue: Queue | undefined;
  const kernels = await openKernels({ config, log, lifecycle, queue: () => queue ?? { running: false } });
  lifecycle.signal.throwIfAborted();
  const app = buildApp(kernels);
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
  lifecycle.onStop('queue', queue.stop);
  lifecycle.onStop('delivery', app.delivery.stop);
  lifecycle.onStop('http', async () => {
    const late = setTimeout(() => app.server.server.closeAllConnections(), longestAnswer);
    await app.server.close();
    clearTimeout(late);
  });
  lifecycle.onStop('built-in runner', app.stopRunner);
  lifecycle.signal.throwIfAborted();
  const [url] = await Promise.all([app.server.listen({ host: config.host, port: kernels.port }), queue.start()]);
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
