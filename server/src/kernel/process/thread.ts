/** A thread that computes what may take too long: started when it is needed, ended when one answer uses up its budget. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../http/errors.ts';
import type { Logger } from '../telemetry/index.ts';

const checkMilliseconds = 50;
/** Nobody waits longer than this, however busy the machine is. */
const patienceMilliseconds = 30_000;
/** A thread that has nothing to do for this long ends: it holds some megabytes. */
const idleMilliseconds = 60_000;

export interface ThreadOptions {
  /** The source of the thread; it says 'ready' once, and then answers each message with one. */
  readonly source: string;
  /** Its name beside the bundle. */
  readonly built: string;
  /** Milliseconds of processor time of one answer: waiting for the processor does not count. */
  readonly budget: number;
  /** Requests that wait for the thread. */
  readonly maximumWaiting: number;
  /** What is said to whoever finds no place. */
  readonly busy: string;
  /** What is logged when the thread cannot be started. */
  readonly failed: string;
  readonly log: Pick<Logger, 'error'>;
}

export interface Thread<Request, Answer> {
  /** Null where it takes more than its budget. */
  ask(request: Request): Promise<Answer | null>;
  close(): Promise<void>;
}

export function createThread<Request, Answer>(options: ThreadOptions): Thread<Request, Answer> {
  const waiting: { readonly request: Request; readonly done: (answer: Answer | null) => void }[] = [];
  let worker: Worker | undefined;
  let busy = false;
  let idle: NodeJS.Timeout | undefined;

  /** The built thread lies beside the bundle. */
  function workerFile(): string {
    const built = path.join(import.meta.dirname, options.built);
    return existsSync(built) ? built : options.source;
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopped = worker;
    worker = undefined;
    await stopped?.terminate();
  }

  async function started(): Promise<Worker> {
    if (worker) return worker;
    const made = new Worker(workerFile(), { resourceLimits: { maxOldGenerationSizeMb: 256 } });
    // What is computed is waited for elsewhere; an idle thread keeps no process alive.
    made.unref();
    const ready = Promise.withResolvers<void>();
    made.once('message', () => ready.resolve());
    made.once('error', ready.reject);
    await ready.promise;
    worker = made;
    return made;
  }

  /** The answer of the thread; null when it has used up its budget, or its memory. */
  async function answer(thread: Worker, request: Request): Promise<Answer | null> {
    const result = Promise.withResolvers<Answer | null>();
    const over = () => result.resolve(null);
    const before = await thread.cpuUsage();
    const until = performance.now() + patienceMilliseconds;
    const check = setInterval(() => {
      if (performance.now() > until) over();
      // A thread that has ended has nothing to say of its time.
      thread.cpuUsage(before).then(({ user, system }) => {
        if ((user + system) / 1000 > options.budget) over();
      }, over);
    }, checkMilliseconds);
    thread.once('message', result.resolve);
    thread.once('error', over);
    thread.once('exit', over);
    thread.postMessage(request);
    try {
      return await result.promise;
    } finally {
      clearInterval(check);
      thread.off('message', result.resolve);
      thread.off('error', over);
      thread.off('exit', over);
    }
  }

  async function work(): Promise<void> {
    if (busy) return;
    busy = true;
    clearTimeout(idle);
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      let found: Answer | null = null;
      try {
        found = await answer(await started(), job.request);
      } catch (error) {
        options.log.error({ err: error }, options.failed);
      }
      job.done(found);
      if (found === null) await stop();
    }
    busy = false;
    idle = setTimeout(() => void stop(), idleMilliseconds).unref();
  }

  return {
    ask(request) {
      if (waiting.length >= options.maximumWaiting) return Promise.reject(unavailable(options.busy));
      return new Promise((resolve) => {
        waiting.push({ request, done: resolve });
        void work();
      });
    },
    close: stop,
  };
}
