/** The state that all functions share (limits, caches, helper processes) and the handle of one repository. */
import { createLru, type Lru } from './lru.ts';
import type { Overlay } from './objects/overlay.ts';
import { createPool, type Pool } from './process/coprocess.ts';
import {
  type Caller,
  createLimiter,
  DEFAULT_BUDGETS,
  type GitBudgets,
  type GitTimeouts,
  type Limiter,
} from './process/limiter.ts';
import type { Spawner } from './process/spawner.ts';
import { type AnswerCache, type AnswerCacheOptions, createAnswerCache } from './transfer/answer-cache.ts';
import type { RepoPath } from './types.ts';

export interface GitOptions {
  /** The git program; default `git`, found in `path`. */
  binary?: string;
  /** PATH for git and its helpers; default the usual system directories. */
  path?: string;
  /** Bytes for parsed objects and other results keyed by object id; default 64 MiB. */
  cacheBytes?: number;
  /** Bytes for the references of repositories; default 128 MiB. */
  snapshotBytes?: number;
  /** Long-lived helper processes (cat-file, diff-tree) kept over all repositories; default 24. */
  maxHelpers?: number;
  /** Milliseconds after which an unused helper is ended; default 30,000. */
  helperIdleMs?: number;
  /** Budgets per class of work, laid over DEFAULT_BUDGETS. */
  limits?: Partial<GitBudgets>;
  /** Asked for each process that a request waits for: bounds below those of the budgets. */
  timeouts?: () => GitTimeouts;
  /** Where answers to fetches are kept, and how many bytes of them; none without it. */
  answers?: AnswerCacheOptions;
  /** Starts processes from a small process beside this one, which is large. It stays with who made it. */
  spawner?: Spawner;
}

export interface Git {
  readonly binary: string;
  readonly path: string;
  readonly limits: GitBudgets;
  /** Null where the budgets alone count. */
  readonly timeouts: (() => GitTimeouts) | null;
  readonly limiter: Limiter;
  /** Results that never change under their key: parsed objects, walks, diffs. */
  readonly cache: Lru<unknown>;
  /** References of repositories, each at one generation. One with 100,000 of them takes as much as all else together. */
  readonly snapshots: Lru<unknown>;
  readonly helpers: Pool;
  /** Kept answers to fetches; null where none are. */
  readonly answers: AnswerCache | null;
  /** Null where processes are started directly. */
  readonly spawner: Spawner | null;
  /** A short prefix for cache keys of one repository (or of one quarantine on it). */
  keyOf(path: RepoPath, quarantine?: boolean): string;
  /** Drops caches and ends helpers of a repository: after its removal, or when its alternates changed. */
  forget(path: RepoPath): void;
  /** Ends all helper processes. */
  close(): Promise<void>;
}

interface QuarantinedView {
  /** The directory where new objects are. */
  readonly path: string;
  /** The repository without them. */
  readonly base: Repo;
  readonly overlay: Overlay;
}

/** One repository as one caller sees it. Plain data: derive variants with the `with...` functions. */
export interface Repo {
  readonly git: Git;
  readonly path: RepoPath;
  readonly key: string;
  readonly caller: Caller;
  /** Ends the git processes that run for this caller. */
  readonly signal?: AbortSignal;
  /** Set on a quarantined view. */
  readonly quarantine?: QuarantinedView;
}

/** One per server process. Call `close()` when done. */
export function createGit(options: GitOptions = {}): Git {
  const limits: GitBudgets = { ...DEFAULT_BUDGETS, ...options.limits };
  const helpers = createPool({ max: options.maxHelpers ?? 24, idleMs: options.helperIdleMs ?? 30_000 });
  const cache = createLru<unknown>(options.cacheBytes ?? 64 * 1024 * 1024);
  const answers = options.answers ? createAnswerCache(options.answers) : null;
  const snapshots = createLru<unknown>(options.snapshotBytes ?? 128 * 1024 * 1024, 1);
  const keys = new Map<string, string>();
  let nextKey = 0;

  return {
    binary: options.binary ?? 'git',
    path: options.path ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    limits,
    timeouts: options.timeouts ?? null,
    limiter: createLimiter(limits),
    cache,
    snapshots,
    helpers,
    answers,
    spawner: options.spawner ?? null,
    keyOf(path, quarantine) {
      // A quarantine is short-lived and has a random name: its key is not kept.
      if (quarantine) return `q${nextKey++}`;
      let key = keys.get(path);
      if (!key) {
        key = (nextKey++).toString(36);
        keys.set(path, key);
      }
      return key;
    },
    forget(path) {
      const key = keys.get(path);
      keys.delete(path);
      if (key) helpers.closeKey(key);
      answers?.forget(path).catch(() => {});
    },
    async close() {
      await helpers.close();
      cache.clear();
      snapshots.clear();
    },
  };
}

/** The handle of a repository; does not look whether it exists. */
export function openRepository(
  git: Git,
  path: RepoPath,
  options: { caller?: Caller; signal?: AbortSignal } = {},
): Repo {
  const base = { git, path, key: git.keyOf(path), caller: options.caller ?? 'user' };
  return options.signal ? { ...base, signal: options.signal } : base;
}

/** The same repository with the budget of another kind of caller. */
export function withCaller(repo: Repo, caller: Caller): Repo {
  return { ...repo, caller };
}

/**
 * The same repository for work whose result others wait for as well: the signal of one caller must not end it, and people
 * must not wait in the queue of anonymous callers.
 */
export function sharedWork(repo: Repo): Repo {
  const { signal: _own, ...rest } = repo;
  return { ...rest, caller: 'user' };
}

/** The same repository whose processes end with this signal. */
export function withSignal(repo: Repo, signal: AbortSignal): Repo {
  return { ...repo, signal };
}
