/**
 * Polls of runners that wait for a job. One notification from the database wakes, in each process, the polls of those
 * runners for which a job waits; whoever claims it answers, the others go on waiting.
 */
import type { CiDependencies } from '../deps.ts';
import { pendingChannel } from '../scheduling/process.queries.ts';
import { waitingWork } from './claim.queries.ts';

/** Longest time that a poll is held. */
const holdMilliseconds = 50_000;
/** Notifications can be lost with the connection: so often the held polls look for themselves. */
const checkMilliseconds = 10_000;

interface Waiter {
  readonly runnerId: number;
  wake(again: boolean): void;
}

export interface HeldPolls {
  /**
   * Tries until it gives something, the time is over, `signal` aborts or the process stops; null then. The first try
   * is made after it was registered, so that no notification falls between.
   */
  hold<T>(runnerId: number, signal: AbortSignal, attempt: () => Promise<T | null>): Promise<T | null>;
  /** Looks for waiting jobs now. */
  look(): void;
  /** Ends all polls, now and from now on. */
  drain(): void;
}

export function createHeldPolls(deps: Pick<CiDependencies, 'db' | 'changes' | 'builtIn' | 'log'>): HeldPolls {
  const waiters = new Set<Waiter>();
  let stopped = false;
  let looking = false;
  let lookAgain = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const ids = [...new Set([...waiters].map((waiter) => waiter.runnerId))];
    const { of: work, builtIn } = await waitingWork(deps.db, ids, deps.builtIn.serves());
    if (builtIn) deps.builtIn.wanted();
    // No more of them than there are jobs.
    for (const waiter of [...waiters]) {
      const left = work.get(waiter.runnerId) ?? 0;
      if (left === 0) continue;
      work.set(waiter.runnerId, left - 1);
      waiter.wake(true);
    }
  }

  /** At most one look at a time; what arrives meanwhile causes one more. */
  function notified(): void {
    if (stopped) return;
    lookAgain = true;
    if (looking) return;
    looking = true;
    void (async () => {
      while (lookAgain && !stopped) {
        lookAgain = false;
        try {
          await look();
        } catch (error) {
          deps.log.error({ err: error }, 'waiting jobs could not be looked for');
        }
      }
      looking = false;
    })();
  }

  deps.changes.on(pendingChannel, notified);

  const check = () => {
    timer ??= setInterval(() => {
      if (waiters.size > 0) notified();
      else {
        clearInterval(timer);
        timer = undefined;
      }
    }, checkMilliseconds).unref();
  };

  return {
    hold: async (runnerId, signal, attempt) => {
      const deadline = performance.now() + holdMilliseconds;
      for (;;) {
        if (stopped || signal.aborted) return null;
        let wake: Waiter['wake'] = () => undefined;
        const woken = new Promise<boolean>((resolve) => {
          wake = resolve;
        });
        const waiter: Waiter = { runnerId, wake };
        waiters.add(waiter);
        check();
        const gone = () => wake(false);
        signal.addEventListener('abort', gone, { once: true });
        const timeout = setTimeout(gone, Math.max(0, deadline - performance.now())).unref();
        try {
          const got = await attempt();
          if (got !== null) return got;
          if (!(await woken)) return null;
        } finally {
          clearTimeout(timeout);
          signal.removeEventListener('abort', gone);
          waiters.delete(waiter);
        }
      }
    },
    look: notified,
    drain: () => {
      stopped = true;
      clearInterval(timer);
      for (const waiter of [...waiters]) waiter.wake(false);
    },
  };
}
