/** Moves references with expected old values, all or nothing, with a last word of the caller between check and move. */
import type { Repo } from '../context.ts';
import { GitError, isGitError } from '../errors.ts';
import { canGuard, guarded } from '../process/guard.ts';
import { type GitStream, streamGit } from '../process/run.ts';
import { removeStaleLocks } from '../repository/sweep.ts';
import { type RefName, type Sha, ZERO_SHA } from '../types.ts';

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

function command(update: RefUpdate): string {
  if (update.new === ZERO_SHA) return `delete ${update.ref}${NUL}${update.old ?? ''}${NUL}`;
  if (update.old === ZERO_SHA) return `create ${update.ref}${NUL}${update.new}${NUL}`;
  return `update ${update.ref}${NUL}${update.new}${NUL}${update.old ?? ''}${NUL}`;
}

/**
 * One transaction of `update-ref`: the references are locked and their old values compared, then `beforeMoving` decides,
 * then they move. A git whose input ends before the last word moves nothing, so it cannot outlive us with half of it.
 */
async function transaction(
  repo: Repo,
  updates: readonly RefUpdate[],
  beforeMoving?: () => Promise<void>,
): Promise<void> {
  // A caller who goes away must not cut a transaction in two: no signal here.
  const { signal: _ignored, ...place } = repo;
  const prepared = Promise.withResolvers<boolean>();
  let refusal: { error: unknown } | undefined;
  async function* conversation() {
    yield `start${NUL}${updates.map(command).join('')}prepare${NUL}`;
    if (!(await prepared.promise)) return;
    try {
      await beforeMoving?.();
    } catch (error) {
      refusal = { error };
      return;
    }
    yield `commit${NUL}`;
  }
  const stream: GitStream = await streamGit(place, ['update-ref', '--no-deref', '--stdin', '-z'], {
    work: 'write',
    guard: 'refs',
    input: conversation(),
    timeoutMs: TIMEOUT_MS + updates.length * TIMEOUT_MS_PER_REF,
  });
  let said = '';
  stream.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    if (said.includes('prepare: ok')) prepared.resolve(true);
  });
  await stream.done.finally(() => prepared.resolve(false));
  if (refusal) throw refusal.error;
  if (!said.includes('commit: ok')) throw new GitError('failed', 'git update-ref moved nothing');
}

/** Removes the locks of references that no living git holds. */
export async function clearLocks(repo: Repo): Promise<number> {
  const minAgeMs = canGuard(repo.git.path) ? 0 : UNGUARDED_LOCK_AGE_MS;
  return (await guarded(repo, 'refs', () => removeStaleLocks(repo, minAgeMs))).length;
}

/** Runs what locks references: over lock files of dead writers, and without leaving its own when it is killed. */
export async function despiteStaleLocks(repo: Repo, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    const killed = isGitError(error) && error.exitCode === null && error.code !== 'busy';
    if (!killed && !isGitError(error, 'locked')) throw error;
    const cleared = await clearLocks(repo).catch(() => 0);
    // The lock was met before the last word was asked for.
    if (killed || cleared === 0) throw error;
    await run();
  }
}

/**
 * All or nothing. `beforeMoving` runs when every reference is locked and has its expected value: what it throws is thrown,
 * and nothing moves. A lock file that a killed git left is no obstacle. Throws `conflict` (another value than expected),
 * `exists`, `locked` (another writer that this machine does not see), `directory_conflict` (`a` against `a/b`),
 * `not_found` (the new object is not there); anything may have moved only when `beforeMoving` has returned.
 */
export async function updateRefs(
  repo: Repo,
  updates: readonly RefUpdate[],
  beforeMoving?: () => Promise<void>,
): Promise<void> {
  if (repo.quarantine) throw new GitError('invalid', 'references cannot be moved from inside a quarantine');
  if (updates.length === 0) return;
  await despiteStaleLocks(repo, () => transaction(repo, updates, beforeMoving));
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
