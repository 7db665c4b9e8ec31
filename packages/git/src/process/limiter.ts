/** Concurrency budgets: so many git processes per class of work and kind of caller, a bounded queue, then `busy`. */
import { GitError } from '../errors.ts';

/**
 * `read` short look-ups; `heavy` diff, blame, archive, long walks; `pack` upload-pack; `write` receive and reference
 * updates; `maintenance` repack and the like.
 */
export type WorkClass = 'read' | 'heavy' | 'pack' | 'write' | 'maintenance';
/** Anonymous callers have budgets of their own, so that crawlers cannot starve people. */
export type Caller = 'user' | 'anonymous' | 'system';

export interface ClassLimit {
  /** Processes at once, per kind of caller (anonymous callers get half, at least one). */
  concurrency: number;
  /** How many may wait; the next is refused with `busy`. */
  queue: number;
  /** Longest run of one process in milliseconds. */
  timeoutMs: number;
}
export type ClassLimits = Record<WorkClass, ClassLimit>;

export const DEFAULT_LIMITS: ClassLimits = {
  read: { concurrency: 16, queue: 1000, timeoutMs: 15_000 },
  heavy: { concurrency: 6, queue: 200, timeoutMs: 60_000 },
  pack: { concurrency: 16, queue: 500, timeoutMs: 3_600_000 },
  write: { concurrency: 16, queue: 1000, timeoutMs: 3_600_000 },
  maintenance: { concurrency: 1, queue: 1000, timeoutMs: 3_600_000 },
};

interface Waiter {
  start(): void;
}
interface Budget {
  active: number;
  max: number;
  maxQueue: number;
  waiting: Waiter[];
}

export interface Limiter {
  /** Waits for a place; the returned function gives it back (idempotent). */
  acquire(work: WorkClass, caller: Caller, signal?: AbortSignal): Promise<() => void>;
  /** Running and waiting processes by `class:caller`, for metrics. */
  usage(): Record<string, { active: number; waiting: number }>;
}

export function createLimiter(limits: ClassLimits): Limiter {
  const budgets = new Map<string, Budget>();

  function budgetOf(work: WorkClass, caller: Caller): Budget {
    const key = `${work}:${caller}`;
    let budget = budgets.get(key);
    if (!budget) {
      const { concurrency, queue } = limits[work];
      const max = caller === 'anonymous' ? Math.max(1, Math.floor(concurrency / 2)) : concurrency;
      budget = { active: 0, max, maxQueue: queue, waiting: [] };
      budgets.set(key, budget);
    }
    return budget;
  }

  function releaser(budget: Budget): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = budget.waiting.shift();
      if (next) next.start();
      else budget.active -= 1;
    };
  }

  return {
    acquire(work, caller, signal) {
      if (signal?.aborted) return Promise.reject(new GitError('aborted', 'the caller went away'));
      const budget = budgetOf(work, caller);
      if (budget.active < budget.max) {
        budget.active += 1;
        return Promise.resolve(releaser(budget));
      }
      if (budget.waiting.length >= budget.maxQueue) {
        return Promise.reject(
          new GitError(
            'busy',
            `too much git work of class ${work} at once (limit ${budget.max}, queue ${budget.maxQueue})`,
          ),
        );
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          start() {
            signal?.removeEventListener('abort', onAbort);
            resolve(releaser(budget));
          },
        };
        function onAbort(): void {
          budget.waiting = budget.waiting.filter((other) => other !== waiter);
          reject(new GitError('aborted', 'the caller went away'));
        }
        signal?.addEventListener('abort', onAbort, { once: true });
        budget.waiting.push(waiter);
      });
    },
    usage() {
      const result: Record<string, { active: number; waiting: number }> = {};
      for (const [key, budget] of budgets) result[key] = { active: budget.active, waiting: budget.waiting.length };
      return result;
    },
  };
}
