/** One thread that renders, started when it is needed. A document that takes too long ends it; the next one has a new one. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { unavailable } from '../http/errors.ts';
import type { Logger } from '../telemetry/index.ts';
import type { Piece } from './html/sanitise.ts';
import type { RenderRequest } from './render.ts';

/** Processor time of one document: waiting for the processor does not count. */
const budgetMilliseconds = 1000;
const checkMilliseconds = 50;
/** Nobody waits longer than this, however busy the machine is. */
const patienceMilliseconds = 30_000;
/** Documents that wait for the thread. */
const maximumWaiting = 500;
/** A thread that has nothing to do for this long ends: it holds some megabytes. */
const idleMilliseconds = 60_000;

interface Job {
  readonly request: RenderRequest;
  /** Null where the budget was not enough. */
  readonly done: (pieces: readonly Piece[] | null) => void;
}

/** The built thread lies beside the bundle, the other one beside this file. */
function workerFile(): string {
  const built = path.join(import.meta.dirname, 'markdown-main.mjs');
  return existsSync(built) ? built : path.join(import.meta.dirname, 'worker.ts');
}

export interface RenderPool {
  /** The pieces; null where rendering takes more than its budget. */
  render(request: RenderRequest): Promise<readonly Piece[] | null>;
  close(): Promise<void>;
}

export function createRenderPool(log: Pick<Logger, 'error'>, budget = budgetMilliseconds): RenderPool {
  const waiting: Job[] = [];
  let worker: Worker | undefined;
  let busy = false;
  let idle: NodeJS.Timeout | undefined;

  async function stop(): Promise<void> {
    clearTimeout(idle);
    const stopped = worker;
    worker = undefined;
    await stopped?.terminate();
  }

  async function started(): Promise<Worker> {
    if (worker) return worker;
    const made = new Worker(workerFile(), { resourceLimits: { maxOldGenerationSizeMb: 256 } });
    // What is rendered is waited for elsewhere; an idle thread keeps no process alive.
    made.unref();
    const ready = Promise.withResolvers<void>();
    made.once('message', () => ready.resolve());
    made.once('error', ready.reject);
    await ready.promise;
    worker = made;
    return made;
  }

  /** The answer of the thread; null when it has used up its budget, or its memory. */
  async function answer(thread: Worker, request: RenderRequest): Promise<readonly Piece[] | null> {
    const result = Promise.withResolvers<readonly Piece[] | null>();
    const over = () => result.resolve(null);
    const before = await thread.cpuUsage();
    const until = performance.now() + patienceMilliseconds;
    const check = setInterval(() => {
      if (performance.now() > until) over();
      // A thread that has ended has nothing to say of its time.
      thread.cpuUsage(before).then(({ user, system }) => {
        if ((user + system) / 1000 > budget) over();
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
      let pieces: readonly Piece[] | null = null;
      try {
        pieces = await answer(await started(), job.request);
      } catch (error) {
        log.error({ err: error }, 'Markdown cannot be rendered');
      }
      job.done(pieces);
      if (pieces === null) await stop();
    }
    busy = false;
    idle = setTimeout(() => void stop(), idleMilliseconds).unref();
  }

  return {
    render(request) {
      if (waiting.length >= maximumWaiting) return Promise.reject(unavailable('too many documents are being rendered'));
      return new Promise((resolve) => {
        waiting.push({ request, done: resolve });
        void work();
      });
    },
    close: stop,
  };
}
