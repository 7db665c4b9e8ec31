/** The runner's loop: one held request for jobs while a slot is free, each job on a slot of its own. */
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_BASE_UID, type Slot, takeSlots } from './accounts.ts';
import { createClient, type JobRequestAnswer, type RunnerClient } from './client.ts';
import { JobFailure, messageOf } from './errors.ts';
import { chooseExecutor, type ExecutorName } from './executors/choose.ts';
import type { ContainerSettings } from './executors/container/settings.ts';
import type { Executor } from './executors/types.ts';
import type { JobLimits } from './limits.ts';
import type { JobPayload } from './protocol.ts';
import { serveJob, TOUCH_INTERVAL } from './serve-job.ts';
import { scriptProgram } from './terminal/pty.ts';
import { listenForTerminals, type Session, type SessionOffer, type Sessions } from './terminal/sessions.ts';
import { markOf, removedEnded } from './workspace.ts';

export const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export type RunnerOptions = {
  /** The server's root, without `/api/v4`. */
  url: string;
  token: string;
  systemId: string;
  /** Workspaces, caches and archives on their way. As root, every directory above must be passable for others (o+x). */
  workDir: string;
  /** Jobs at the same time. Default 1. */
  slots?: number | undefined;
  /** Default `auto`. */
  executor?: ExecutorName | undefined;
  /** What one job may use of the host. */
  limits?: JobLimits | undefined;
  /** Containers of jobs that name an image. */
  containers?: ContainerSettings | undefined;
  /** First uid for jobs when we are root. Default 64200. */
  baseUid?: number | undefined;
  /** Directories that jobs in namespaces do not see, like the server's data directory. */
  hidden?: string[] | undefined;
  /** PATH of the jobs' commands. */
  path?: string | undefined;
  /** Where repositories are reached, if not where the payload says: scheme, host and port. */
  cloneUrl?: string | undefined;
  /** Bytes of a log that are kept. Default 4 MiB. */
  outputLimit?: number | undefined;
  /** How often a quiet job asks whether it was canceled, in milliseconds. Default 5000. */
  touchMilliseconds?: number | undefined;
  /** Resolves after so many seconds without a job (between two requests, so that none is lost). Default: never. */
  exitWhenIdleSeconds?: number | undefined;
  /** After `signal`: how long running jobs may still take, in milliseconds, before they are ended as failed. Default 0. */
  drainMilliseconds?: number | undefined;
  /** Stops asking for jobs and drains. */
  signal: AbortSignal;
  log: { info(message: string): void; warn(message: string): void };
};

/** Serves jobs until `signal` aborts or it has been idle long enough. Rejects only when it cannot work at all. */
export async function runRunner(options: RunnerOptions): Promise<void> {
  const { url, token, systemId, log } = options;
  const workDir = resolve(options.workDir);
  const { slots, release } = await takeSlots(options.slots ?? 1, options.baseUid ?? DEFAULT_BASE_UID, workDir);
  try {
    const path = options.path ?? DEFAULT_PATH;
    const hidden = options.hidden ?? [];
    const { limits, containers } = options;
    const account = slots[0]?.account;
    const choice = { hidden, path, account, limits, containers };
    const executor = await chooseExecutor(options.executor ?? 'auto', choice);
    await executor.recover?.(markOf(workDir));
    const hasImages = executor.hasImages === true;
    const hasTerminals = executor.hasShell && scriptProgram() !== undefined;
    const client = createClient({ url, token, systemId, executor: executor.name, hasImages, hasTerminals });
    log.info(`runner ready: executor ${executor.name}${hasImages ? ' and containers' : ''}, ${slots.length} slots`);
    const sessions = hasTerminals ? await listenForTerminals(workDir) : undefined;
    try {
      await loop({ ...options, workDir, path, sessions }, slots, executor, client);
    } finally {
      await sessions?.close();
      await removedEnded();
    }
  } finally {
    release();
  }
}

type LoopOptions = RunnerOptions & { path: string; sessions: Sessions | undefined };

/** What identifies a runner in jobs: the letters of its token after the prefix that all have, too few to be used. */
const shortToken = (token: string): string => token.replace(/^[a-z]+-/, '').slice(0, 9);

async function loop(options: LoopOptions, slots: Slot[], executor: Executor, client: RunnerClient): Promise<void> {
  const { signal, log } = options;
  const free = [...slots];
  /** Jobs until their end is told; while it is, their slot serves the next one. */
  const running = new Set<Promise<void>>();
  /** Jobs that have a slot. */
  const busy = new Set<Promise<void>>();
  const abort = new AbortController();
  const idleLimit = (options.exitWhenIdleSeconds ?? Number.POSITIVE_INFINITY) * 1000;
  let idleSince = performance.now();
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  let lastUpdate: string | undefined;
  let failures = 0;
  /** Offered with each request, until a job comes. */
  let session = options.sessions?.create();

  function begin(job: JobPayload, slot: Slot, own: Session | undefined): void {
    const { workDir, path, cloneUrl, limits, outputLimit, touchMilliseconds = TOUCH_INTERVAL } = options;
    const { account } = slot;
    const place = Promise.withResolvers<void>();
    busy.add(place.promise);
    const left = () => {
      if (!busy.delete(place.promise)) return;
      free.push(slot);
      place.resolve();
    };
    const served = serveJob({
      job,
      executor,
      account,
      workDir,
      slot: slot.name,
      path,
      cloneUrl,
      runnerShortToken: shortToken(options.token),
      limits,
      outputLimit,
      touchMilliseconds,
      session: own,
      client,
      abort: abort.signal,
      hurry: signal,
      left,
    })
      .then((result) => log.info(`job ${job.id}: ${result === 'gone' ? 'no longer wanted' : result.state}`))
      .catch((error: unknown) => log.warn(`job ${job.id}: ${messageOf(error)}`))
      .finally(() => {
        own?.close();
        running.delete(served);
        left();
        idleSince = performance.now();
      });
    running.add(served);
  }

  while (!signal.aborted) {
    if (free.length === 0) {
      await Promise.race([...busy, stopped]);
      continue;
    }
    // A server that does not hear of their ends is not asked for more and more jobs.
    if (running.size - busy.size > slots.length) {
      await Promise.race([...running, stopped]);
      continue;
    }
    if (running.size === 0 && performance.now() - idleSince >= idleLimit) break;
    const asked = performance.now();
    const answer = await ask(client, lastUpdate, session?.offer, signal);
    if (signal.aborted && answer.kind !== 'job') break;
    if (answer.kind === 'job') {
      lastUpdate = answer.lastUpdate;
      failures = 0;
      begin(answer.job, free.shift()!, session);
      session = options.sessions?.create();
    } else if (answer.kind === 'none') {
      lastUpdate = answer.lastUpdate;
      failures = 0;
      // A server that does not hold requests is asked once a second.
      await pause(1000 - (performance.now() - asked), signal);
    } else {
      const wait = (answer.kind === 'retry' ? answer.after : undefined) ?? Math.min(250 * 2 ** failures++, 30_000);
      const why = answer.kind === 'retry' ? answer.message : 'the server refuses this runner (403)';
      log.warn(`asking for jobs failed: ${why}; again in ${Math.round(wait)} ms`);
      await pause(wait, signal);
    }
  }
  if (running.size === 0) return;
  const drained = Promise.all(running);
  await Promise.race([drained, sleep(options.drainMilliseconds ?? 0, undefined, { ref: false })]);
  abort.abort(new JobFailure('runner_system_failure', 'the runner was shut down'));
  await drained;
}

async function ask(
  client: RunnerClient,
  lastUpdate: string | undefined,
  session: SessionOffer | undefined,
  signal: AbortSignal,
): Promise<JobRequestAnswer> {
  try {
    return await client.requestJob(lastUpdate, signal, session);
  } catch (error) {
    return { kind: 'retry', after: undefined, message: messageOf(error) };
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
