/** Moves references with expected old values, all or nothing, with a last word of the caller between check and move. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Repo } from '../context.ts';
import { GitError, isGitError } from '../errors.ts';
import { canGuard, guarded } from '../process/guard.ts';
import { streamGit } from '../process/run.ts';
import { removeStaleLocks, type StaleLocks } from '../repository/sweep.ts';
import { type RefName, type Sha, ZERO_SHA } from '../types.ts';
import { LostLock, moveAlone, movesAlone } from './move.ts';

export interface RefUpdate {
  ref: RefName;
  /** The value it must have now; ZERO_SHA: it must not exist. Omitted: whatever it has. */
  old?: Sha;
  /** ZERO_SHA deletes. */
  new: Sha;
}

export interface RefResult {
  ref: RefName;
  /** null: done. */
  error: GitError | null;
}

const NUL = '\0';
/** Every reference is a file of its own that is written and synced. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_MS_PER_REF = 20;
/** Without the guard a lock may be somebody's who lives: no transaction of references lasts as long. */
const UNGUARDED_LOCK_AGE_MS = 600_000;

/** A move without git takes as long as the disk; git itself waits a tenth of a second for a lock. */
const PAUSES_MS = [20, 50, 100, 200, 400];

function command(update: RefUpdate): string {
  if (update.new === ZERO_SHA) return `delete ${update.ref}${NUL}${update.old ?? ''}${NUL}`;
  if (update.old === ZERO_SHA) return `create ${update.ref}${NUL}${update.new}${NUL}`;
  return `update ${update.ref}${NUL}${update.new}${NUL}${update.old ?? ''}${NUL}`;
}

/** A git that waits for the references to move: starting it takes as long as deciding which may. */
export interface RefMover {
  /** Whether it still waits: not used, not ended. */
  waits(): boolean;
  /** Once: locks the references and compares their old values, asks `beforeMoving`, moves them. */
  move(updates: readonly RefUpdate[], beforeMoving?: () => Promise<void>): Promise<void>;
  /** Ends it without a move; harmless when it has moved. */
  close(): void;
}

/**
 * Starts an `update-ref` ahead of its words. It holds the guard of references from its start, so nothing long may come
 * between. A git whose input ends before the last word moves nothing, so it cannot outlive us with half of it.
 */
export function startRefMover(repo: Repo): RefMover {
  // A caller who goes away must not cut a transaction in two: no signal here.
  const { signal: _ignored, ...place } = repo;
  const asked = Promise.withResolvers<{ readonly words: string; readonly last: () => Promise<boolean> } | null>();
  const prepared = Promise.withResolvers<boolean>();
  const committed = Promise.withResolvers<void>();
  let waiting = true;
  let timer: NodeJS.Timeout | undefined;
  let said = '';
  async function* conversation() {
    const order = await asked.promise;
    if (order === null) return;
    yield order.words;
    if ((await prepared.promise) && (await order.last())) yield `commit${NUL}`;
  }
  const started = streamGit(place, ['update-ref', '--no-deref', '--stdin', '-z'], {
    work: 'write',
    guard: 'refs',
    input: conversation(),
  }).then((stream) => {
    stream.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('latin1');
      if (said.includes('prepare: ok')) prepared.resolve(true);
      if (said.includes('commit: ok')) committed.resolve();
    });
    return stream;
  });
  const ended = started.then((stream) => stream.done);
  const over = () => {
    waiting = false;
    clearTimeout(timer);
    prepared.resolve(false);
  };
  ended.then(over, over);
  return {
    waits: () => waiting,
    async move(updates, beforeMoving) {
      waiting = false;
      let refusal: { error: unknown } | undefined;
      const last = async () => {
        try {
          await beforeMoving?.();
          return true;
        } catch (error) {
          refusal = { error };
          return false;
        }
      };
      const seconds = (TIMEOUT_MS + updates.length * TIMEOUT_MS_PER_REF) / 1000;
      timer = setTimeout(() => {
        const error = new GitError('timeout', `git update-ref took longer than ${seconds} s`);
        started.then((stream) => stream.stop(error)).catch(() => undefined);
      }, seconds * 1000).unref();
      asked.resolve({ words: `start${NUL}${updates.map(command).join('')}prepare${NUL}`, last });
      // Moved is moved: the end of the process is nothing to wait for.
      await Promise.race([committed.promise, ended]);
      if (refusal) throw refusal.error;
      if (!said.includes('commit: ok')) throw new GitError('failed', 'git update-ref moved nothing');
    },
    close: () => asked.resolve(null),
  };
}

/** Removes the locks of references that no living writer holds. */
export async function clearLocks(repo: Repo, which: StaleLocks = {}): Promise<number> {
  const minAgeMs = canGuard(repo.git.path) ? 0 : UNGUARDED_LOCK_AGE_MS;
  return (await guarded(repo, 'refs', () => removeStaleLocks(repo, { ...which, minAgeMs }))).length;
}

/**
 * Runs what locks references: over lock files of dead writers, again where a living one is in the way for a moment, and
 * without leaving its own when it is killed.
 */
export async function despiteLocks(repo: Repo, which: StaleLocks, run: () => Promise<unknown>): Promise<void> {
  for (const pause of [...PAUSES_MS, null]) {
    try {
      await run();
      return;
    } catch (error) {
      const killed = isGitError(error) && error.exitCode === null && error.code !== 'busy';
      if (!killed && !isGitError(error, 'locked')) throw error;
      const cleared = await clearLocks(repo, which).catch(() => 0);
      // The lock was met before the last word was asked for.
      if (killed || pause === null) throw error;
      if (cleared === 0) await sleep(pause);
    }
  }
}

/** Moves one without git, or answers false. Whose lock was taken away begins again: nothing has moved. */
async function moveAloneAgain(repo: Repo, update: RefUpdate, beforeMoving?: () => Promise<void>): Promise<boolean> {
  for (const pause of [...PAUSES_MS, null]) {
    try {
      return await moveAlone(repo, update, beforeMoving);
    } catch (error) {
      if (!(error instanceof LostLock) || pause === null) throw error;
      await sleep(pause);
    }
  }
  return false;
}

/**
 * All or nothing: a single one without git where that suffices (`move.ts`), else by the git that is `ready` or one of its own. `beforeMoving` runs when every reference is locked and has its expected value: what it throws is thrown,
 * and nothing moves. Whoever gives it holds what every writer of branches and tags of the repository holds; it runs again
 * where the lock of the reference was lost meanwhile. A lock file that a killed writer left is no obstacle. Throws `conflict` (another value than expected),
 * `exists`, `locked` (another writer that this machine does not see), `directory_conflict` (`a` against `a/b`),
 * `not_found` (the new object is not there); anything may have moved only when `beforeMoving` has returned.
 */
export async function updateRefs(
  repo: Repo,
  updates: readonly RefUpdate[],
  beforeMoving?: () => Promise<void>,
  ready?: RefMover,
): Promise<void> {
  if (repo.quarantine) throw new GitError('invalid', 'references cannot be moved from inside a quarantine');
  if (updates.length === 0) return;
  const [update] = updates;
  if (update && !ready && movesAlone(updates) && (await moveAloneAgain(repo, update, beforeMoving))) return;
  const which = { of: updates.map(({ ref }) => ref), exclusive: beforeMoving !== undefined };
  await despiteLocks(repo, which, () => (ready?.waits() ? ready : startRefMover(repo)).move(updates, beforeMoving));
}

/** Each reference on its own, as a push without `atomic`: one transaction first, one per reference when that fails. */
export async function updateRefsSeparately(repo: Repo, updates: readonly RefUpdate[]): Promise<RefResult[]> {
  try {
    await updateRefs(repo, updates);
    return updates.map(({ ref }) => ({ ref, error: null }));
  } catch (error) {
    if (!isGitError(error)) throw error;
    if (updates.length === 1) return updates.map(({ ref }) => ({ ref, error }));
  }
  const results: RefResult[] = [];
  for (const update of updates) {
    try {
      await updateRefs(repo, [update]);
      results.push({ ref: update.ref, error: null });
    } catch (error) {
      if (!isGitError(error)) throw error;
      results.push({ ref: update.ref, error });
    }
  }
  return results;
}
