/** Concurrency budgets: so many git processes per class of work and kind of caller, a bounded queue, then `busy`. */
import { GitError } from '../errors.ts';

/**
 * `read` short look-ups; `heavy` diff, blame, long walks; `download` archives, big files and patches, which last as long as
 * their client reads; `pack` upload-pack; `write` receive and reference updates; `maintenance` repack and the like.
 */
export type WorkClass = 'read' | 'heavy' | 'download' | 'pack' | 'write' | 'maintenance';
/** `system` is work without a request. */
export type Caller = 'user' | 'anonymous' | 'system';
/** Anonymous callers have budgets of their own, so that crawlers cannot starve people. */
export type BudgetName = WorkClass | 'anonymous_read' | 'anonymous_heavy' | 'anonymous_download' | 'anonymous_pack';

export interface GitBudget {
  /** Processes at once. */
  readonly concurrency: number;
  /** How many may wait; the next is refused with `busy`. */
  readonly queue: number;
  /** Longest wait in milliseconds, then `busy`. */
  readonly waitMs: number;
  /** Longest run of one process in milliseconds, then `timeout`. */
  readonly timeoutMs: number;
  /** Most memory that one process may allocate in bytes, then `memory`; packs that it maps are not counted. */
  readonly memoryBytes: number;
}
/** Longest runs in milliseconds of processes that a request waits for; Infinity: as the budget says. */
export interface GitTimeouts {
  /** Look-ups: the class `read`. */
  readonly fast: number;
  /** Walks through history and references: of the class `heavy`. */
  readonly medium: number;
  /** Everything else of the class `heavy`, and merges. */
  readonly other: number;
}
export type GitBudgets = Readonly<Record<BudgetName, GitBudget>>;

const seconds = 1000;
const hour = 3600 * seconds;
const gibibyte = 1024 ** 3;

export const DEFAULT_BUDGETS: GitBudgets = {
  read: { concurrency: 16, queue: 1000, waitMs: 15 * seconds, timeoutMs: 15 * seconds, memoryBytes: gibibyte },
  heavy: { concurrency: 6, queue: 200, waitMs: 30 * seconds, timeoutMs: 60 * seconds, memoryBytes: gibibyte },
  download: { concurrency: 8, queue: 100, waitMs: 30 * seconds, timeoutMs: hour, memoryBytes: 2 * gibibyte },
  pack: { concurrency: 16, queue: 500, waitMs: 300 * seconds, timeoutMs: hour, memoryBytes: 4 * gibibyte },
  write: { concurrency: 16, queue: 1000, waitMs: 300 * seconds, timeoutMs: hour, memoryBytes: 4 * gibibyte },
  maintenance: { concurrency: 1, queue: 1000, waitMs: hour, timeoutMs: hour, memoryBytes: 8 * gibibyte },
  anonymous_read: {
    concurrency: 8,
    queue: 200,
    waitMs: 10 * seconds,
    timeoutMs: 15 * seconds,
    memoryBytes: gibibyte / 2,
  },
  anonymous_heavy: {
    concurrency: 3,
    queue: 50,
    waitMs: 10 * seconds,
    timeoutMs: 30 * seconds,
    memoryBytes: gibibyte / 2,
  },
  anonymous_download: {
    concurrency: 2,
    queue: 20,
    waitMs: 10 * seconds,
    timeoutMs: 600 * seconds,
    memoryBytes: gibibyte,
  },
  anonymous_pack: { concurrency: 8, queue: 100, waitMs: 60 * seconds, timeoutMs: hour, memoryBytes: 2 * gibibyte },
};

/** The budget that work of a class counts in. */
export function budgetName(work: WorkClass, caller: Caller): BudgetName {
  if (caller !== 'anonymous' || work === 'write' || work === 'maintenance') return work;
  return `anonymous_${work}`;
}

interface Waiter {
  start(): void;
}
interface Budget {
  active: number;
  readonly limit: GitBudget;
  waiting: Waiter[];
}

export interface Limiter {
  /** Waits for a place; the returned function gives it back (idempotent). */
  acquire(work: WorkClass, caller: Caller, signal?: AbortSignal): Promise<() => void>;
  /** Running and waiting processes by `class:caller`, for metrics. */
  usage(): Record<string, { active: number; waiting: number }>;
}

export function createLimiter(limits: GitBudgets): Limiter {
  const budgets = new Map<string, Budget>();

  function budgetOf(work: WorkClass, caller: Caller): Budget {
    const key = `${work}:${caller}`;
    let budget = budgets.get(key);
    if (!budget) {
      budget = { active: 0, limit: limits[budgetName(work, caller)], waiting: [] };
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
      const { limit } = budget;
      if (budget.active < limit.concurrency) {
        budget.active += 1;
        return Promise.resolve(releaser(budget));
      }
      const busy = (why: string) =>
        new GitError('busy', `the git budget ${budgetName(work, caller)} is used up: ${why}`);
      if (budget.waiting.length >= limit.queue) {
        return Promise.reject(busy(`${limit.concurrency} at once, ${limit.queue} waiting`));
      }
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          start() {
            settle();
            resolve(releaser(budget));
          },
        };
        const timer = setTimeout(
          () => leave(busy(`${limit.concurrency} at once, no place within ${limit.waitMs / 1000} s`)),
          limit.waitMs,
        );
        timer.unref();
        const onAbort = () => leave(new GitError('aborted', 'the caller went away'));
        function settle(): void {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        }
        function leave(error: GitError): void {
          settle();
          budget.waiting = budget.waiting.filter((other) => other !== waiter);
          reject(error);
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
