/** Runs tasks: a few at a time in each process, with time limits, recovery of dead processes' work, and a bounded stop. */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHelpers, Runner, RunnerOptions, WorkerEvents } from 'graphile-worker';
import type pg from 'pg';
import type { Db, Listener } from '../db/index.ts';
import { libraryLogger } from './library-log.ts';
import { announceWorker, recoverDeadWorkers, retireWorker } from './recovery.ts';
import { type CronItem, type Task, Unreached } from './task.ts';

interface QueueLog {
  debug(details: object, message: string): void;
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

interface QueueOptions {
  readonly pool: pg.Pool;
  readonly db: Db;
  /** Its session keeps the lock by which other processes know that this one lives. */
  readonly listener: Listener;
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  /** Tasks that run at a time in this process. */
  readonly concurrency: number;
  /** Milliseconds between looks for tasks whose time has come; default 2,000. What is added for now is told at once. */
  readonly pollInterval?: number;
  readonly log: QueueLog;
  /** Told after every attempt, in seconds. */
  readonly observe?: (task: string, seconds: number, outcome: 'success' | 'failure') => void;
}

export interface Queue {
  /** Whether tasks are being run now. */
  readonly running: boolean;
  start(): Promise<void>;
  /** Lets running tasks end for half a second, aborts them, and leaves what does not end to the next process. */
  stop(): Promise<void>;
}

const recoverEvery = 60_000;
const graceBeforeAbort = 500;
const longestStop = 2500;
/** Milliseconds that an aborted handler gets to end by itself before its attempt counts as failed. */
const graceAfterTimeout = 5000;

function duplicates(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function checkDeclarations(tasks: readonly Task[], cron: readonly CronItem[]): void {
  const names = tasks.map(({ name }) => name);
  for (const name of duplicates(names)) throw new Error(`task ${name} is declared twice`);
  for (const item of cron) {
    if (!names.includes(item.task)) throw new Error(`cron item ${item.identifier ?? item.task} names no declared task`);
  }
}

/** Fails when the handler goes on after it was told to stop. */
async function overdue(signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await sleep(graceAfterTimeout, undefined, { ref: false });
  throw new Error(`the task did not end after: ${(signal.reason as Error).message}`);
}

/** Makes the queue of one process; it runs nothing before `start`. */
export function createQueue(options: QueueOptions): Queue {
  const { pool, db, listener, tasks, cron, log, observe } = options;
  checkDeclarations(tasks, cron);
  const worker = `millrace-${randomBytes(9).toString('hex')}`;
  let runner: Runner | undefined;
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;

  async function attempt(task: Task, payload: unknown, helpers: JobHelpers): Promise<void> {
    const { job } = helpers;
    const started = performance.now();
    const timeout = AbortSignal.timeout(task.timeout);
    const signal = AbortSignal.any([helpers.abortSignal, timeout]);
    const details = { task: task.name, job: String(job.id), attempt: job.attempts, max_attempts: job.max_attempts };
    const work = task.run(payload, {
      signal,
      jobId: details.job,
      attempt: job.attempts,
      maxAttempts: job.max_attempts,
    });
    try {
      await Promise.race([work, overdue(signal)]);
      const seconds = (performance.now() - started) / 1000;
      observe?.(task.name, seconds, 'success');
      log.debug({ ...details, seconds }, 'task done');
    } catch (error) {
      const seconds = (performance.now() - started) / 1000;
      observe?.(task.name, seconds, 'failure');
      const last = job.attempts >= job.max_attempts;
      const told = last ? 'task failed for good' : 'task failed, will be retried';
      if (error instanceof Unreached) log.warn({ ...details, seconds, reason: error.message }, told);
      else log.error({ ...details, seconds, err: error }, told);
      throw error;
    }
  }

  async function recover(): Promise<void> {
    try {
      const dead = await recoverDeadWorkers(db, worker);
      if (dead.length > 0) log.warn({ workers: dead }, 'took over the work of processes that died');
    } catch (error) {
      log.warn({ err: error }, 'could not look for work of dead processes');
    }
  }

  async function run(): Promise<void> {
    const { Logger, parseCronItems, run: runLibrary } = await import('graphile-worker');
    const events = new EventEmitter() as WorkerEvents;
    // The library names its pool at random, and jobs are locked under that name; ours is the one that is announced.
    events.on('pool:create', ({ workerPool }) => {
      workerPool.id = worker;
    });
    const items = cron.map(({ task, schedule, payload, identifier }) => ({
      task,
      match: schedule,
      identifier: identifier ?? task,
      payload: { ...payload },
      options: { backfillPeriod: 0, jobKey: `cron:${identifier ?? task}`, maxAttempts: 1 },
    }));
    const taskList = Object.fromEntries(
      tasks.map((task) => [task.name, (payload: unknown, helpers: JobHelpers) => attempt(task, payload, helpers)]),
    );
    const settings: RunnerOptions = {
      pgPool: pool,
      concurrency: options.concurrency,
      pollInterval: options.pollInterval ?? 2000,
      noHandleSignals: true,
      events,
      logger: libraryLogger(Logger, log),
      taskList,
      parsedCronItems: parseCronItems(items),
      // Without batches the library does not wait for the last results to be written when it stops.
      preset: {
        worker: { gracefulShutdownAbortTimeout: graceBeforeAbort, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
      },
    };
    const started = await runLibrary(settings);
    runner = started;
    started.promise
      .catch((error: unknown) => log.error({ err: error }, 'the queue stopped'))
      .finally(() => {
        if (runner === started) runner = undefined;
        if (!stopping) void restart();
      });
  }

  async function restart(): Promise<void> {
    for (let delay = 100; !stopping && !runner; delay = Math.min(delay * 2, 10_000)) {
      await sleep(delay, undefined, { ref: false });
      if (stopping) return;
      try {
        await run();
        log.info({}, 'the queue runs again');
      } catch (error) {
        log.error({ err: error }, 'the queue cannot start');
      }
    }
  }

  return {
    get running() {
      return runner !== undefined;
    },
    start: async () => {
      await announceWorker(listener, worker);
      await recover();
      await run();
      timer = setInterval(() => void recover(), recoverEvery * (0.75 + Math.random() / 2));
      timer.unref();
    },
    stop: async () => {
      stopping = true;
      clearInterval(timer);
      const current = runner;
      if (!current) return;
      const stopped = current.stop().then(
        () => true,
        () => true,
      );
      if (!(await Promise.race([stopped, sleep(longestStop, false, { ref: false })]))) {
        log.warn({}, 'tasks did not end in time; the next process takes them over');
        await current.kill().catch(() => undefined);
      }
      await retireWorker(listener, worker);
    },
  };
}
