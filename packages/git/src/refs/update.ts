/** Moves references with expected old values through one `update-ref --stdin` transaction, or one per reference. */
import type { Repo } from '../context.ts';
import { GitError, isGitError } from '../errors.ts';
import { runGit } from '../process/run.ts';
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

function command(update: RefUpdate): string {
  if (update.new === ZERO_SHA) return `delete ${update.ref}${NUL}${update.old ?? ''}${NUL}`;
  if (update.old === ZERO_SHA) return `create ${update.ref}${NUL}${update.new}${NUL}`;
  return `update ${update.ref}${NUL}${update.new}${NUL}${update.old ?? ''}${NUL}`;
}

async function transaction(repo: Repo, updates: readonly RefUpdate[]): Promise<void> {
  if (repo.quarantine) throw new GitError('invalid', 'references cannot be moved from inside a quarantine');
  if (updates.length === 0) return;
  // A caller who goes away must not cut a transaction in two: no signal here.
  const { signal: _ignored, ...place } = repo;
  await runGit(place, ['update-ref', '--no-deref', '--stdin', '-z'], {
    work: 'write',
    input: updates.map(command).join(''),
    timeoutMs: 60_000,
  });
}

/**
 * All or nothing. Throws `conflict` (another value than expected), `exists`, `locked` (a lock file is there: another
 * writer, or one that died: see removeStaleLocks), `directory_conflict` (`a` against `a/b`), `not_found` (the new object
 * is not there).
 */
export async function updateRefs(repo: Repo, updates: readonly RefUpdate[]): Promise<void> {
  await transaction(repo, updates);
}

/** Each reference on its own, as a push without `atomic`: one transaction first, one per reference when that fails. */
export async function updateRefsSeparately(repo: Repo, updates: readonly RefUpdate[]): Promise<RefResult[]> {
  try {
    await transaction(repo, updates);
    return updates.map(({ ref }) => ({ ref, error: null }));
  } catch (error) {
    if (!isGitError(error)) throw error;
    if (updates.length === 1) return updates.map(({ ref }) => ({ ref, error }));
  }
  const results: RefResult[] = [];
  for (const update of updates) {
    try {
      await transaction(repo, [update]);
      results.push({ ref: update.ref, error: null });
    } catch (error) {
      if (!isGitError(error)) throw error;
      results.push({ ref: update.ref, error });
    }
  }
  return results;
}
