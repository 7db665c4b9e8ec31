/** What a killed writer leaves behind: quarantines, lock files, files under temporary names. */
import type { Stats } from 'node:fs';
import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Repo } from '../context.ts';
import { QUARANTINE_PREFIX } from '../objects/quarantine.ts';
import { guarded } from '../process/guard.ts';
import { lockOwner } from '../refs/move.ts';
import type { RefName } from '../types.ts';
import { filesBelow } from './files-below.ts';

export interface Leftover {
  /** Absolute path. */
  path: string;
  ageMs: number;
}

async function withAge(path: string): Promise<(Leftover & { readonly info: Stats }) | null> {
  const info = await stat(path).catch(() => null);
  return info ? { path, ageMs: Date.now() - info.mtimeMs, info } : null;
}

async function olderThan(paths: readonly string[], minAgeMs: number) {
  const found = await Promise.all(paths.map(withAge));
  return found.filter((leftover) => leftover !== null).filter(({ ageMs }) => ageMs >= minAgeMs);
}

/** Quarantines that nobody has written into for this long: a pack that arrives grows in a directory that does not change. */
export async function listQuarantines(repo: Repo, minAgeMs = 0): Promise<Leftover[]> {
  const objects = join(repo.path, 'objects');
  const names = await readdir(objects).catch(() => []);
  const ours = names.filter((name) => name.startsWith(QUARANTINE_PREFIX) || name.startsWith('tmp_objdir-'));
  const found: Leftover[] = [];
  for (const name of ours) {
    const path = join(objects, name);
    const packs = (await readdir(join(path, 'pack')).catch(() => [])).map((pack) => join(path, 'pack', pack));
    const ages = await olderThan([path, join(path, 'pack'), ...packs], 0);
    const ageMs = Math.min(...ages.map((entry) => entry.ageMs));
    if (ages.length > 0 && ageMs >= minAgeMs) found.push({ path, ageMs });
  }
  return found;
}

/** Which lock files of dead writers are removed. */
export interface StaleLocks {
  readonly minAgeMs?: number;
  /** Only those that a move of these references meets. */
  readonly of?: readonly RefName[];
  /**
   * The caller holds what every writer of branches and tags of this repository holds: whoever locked one of them is dead, or
   * finds that its lock is lost before it moves anything.
   */
  readonly exclusive?: boolean;
}

/** A move without git ends before: its last word is one statement, which has a time limit of its own. */
const LONGEST_MOVE_MS = 60_000;
/** One of a reference that is no branch and no tag, where nobody has a last word. */
const LONGEST_SERVICE_MOVE_MS = 10_000;

/** Lock files below `refs/` and next to `HEAD`, `packed-refs`, `config`; or those that a move of `of` meets. */
async function locksIn(repo: Repo, of?: readonly RefName[]) {
  const below = of
    ? of.map((name) => join(repo.path, `${name}.lock`))
    : (await filesBelow(join(repo.path, 'refs'))).filter((path) => path.endsWith('.lock'));
  const own = ['HEAD.lock', 'packed-refs.lock', 'packed-refs.new', 'config.lock', 'shallow.lock'];
  const locks = await olderThan([...below, ...own.map((name) => join(repo.path, name))], 0);
  return locks.map((lock) => ({ ...lock, shared: !/^refs\/(heads|tags)\//.test(relative(repo.path, lock.path)) }));
}

/**
 * Lock files whose writer is dead, if no git is at work: not those of moves without git that may live, in this process or
 * in another.
 */
export async function listLocks(
  repo: Repo,
  { minAgeMs = 0, of, exclusive = false }: StaleLocks = {},
): Promise<Leftover[]> {
  const locks = await locksIn(repo, of);
  return locks.flatMap(({ path, ageMs, info, shared }) => {
    const owner = lockOwner(info);
    const longest = shared ? LONGEST_SERVICE_MOVE_MS : exclusive ? 0 : LONGEST_MOVE_MS;
    const mayLive = owner === 'here' || (owner === 'alone' && ageMs < longest);
    return ageMs >= minAgeMs && !mayLive ? [{ path, ageMs }] : [];
  });
}

/**
 * Removes lock files that a dead writer left: only with the guard of the references, when no git can be writing them.
 * Returns what was removed.
 */
export async function removeStaleLocks(repo: Repo, which: StaleLocks = {}): Promise<Leftover[]> {
  const locks = await listLocks(repo, which);
  await Promise.all(locks.map(({ path }) => unlink(path).catch(() => {})));
  return locks;
}

/**
 * What a killed maintenance left: locks of graphs and indexes, packs and objects under temporary names. Only with the
 * guard of the objects; a fetch into the repository itself would use such names too, pushes have their quarantine.
 */
export async function removeStaleObjects(repo: Repo, minAgeMs = 0): Promise<Leftover[]> {
  const objects = join(repo.path, 'objects');
  const temporary = async (directory: string, pattern: RegExp) => {
    const names = await readdir(join(objects, directory)).catch(() => []);
    return names.filter((name) => pattern.test(name)).map((name) => join(objects, directory, name));
  };
  const fanOut = (await readdir(objects).catch(() => [])).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const found = await olderThan(
    [
      ...(await temporary('pack', /^(tmp_|\.tmp-)|\.lock$/)),
      ...(await temporary('info', /^tmp_|\.lock$/)),
      ...(await temporary('info/commit-graphs', /^tmp_|\.lock$/)),
      ...(await Promise.all(fanOut.map((name) => temporary(name, /^tmp_obj_/)))).flat(),
      ...(await temporary('.', /^tmp_obj_/)),
    ],
    minAgeMs,
  );
  await Promise.all(found.map(({ path }) => unlink(path).catch(() => {})));
  return found;
}

/** Longer than any push lasts: the time limit of git's work and the wait for the lock. */
const QUARANTINE_AGE_MS = 3 * 3_600_000;

/** Removes quarantines in which nothing was written for this long. Returns what was removed. */
export async function removeStaleQuarantines(repo: Repo, minAgeMs = QUARANTINE_AGE_MS): Promise<Leftover[]> {
  const found = await listQuarantines(repo, minAgeMs);
  await Promise.all(found.map(({ path }) => rm(path, { recursive: true, force: true })));
  return found;
}

const STALE_LOCK_AGE_MS = 3_600_000;
const TEMPORARY_AGE_MS = 86_400_000;

/** Everything that dead writers left long ago, in a repository that may be written meanwhile. Returns how much it was. */
export async function clean(repo: Repo): Promise<number> {
  const quarantines = await removeStaleQuarantines(repo);
  const stale = { minAgeMs: STALE_LOCK_AGE_MS };
  const locks = (await listLocks(repo, stale)).length > 0;
  const removed = locks ? await guarded(repo, 'refs', () => removeStaleLocks(repo, stale)) : [];
  const objects = await guarded(repo, 'objects', () => removeStaleObjects(repo, TEMPORARY_AGE_MS));
  return quarantines.length + removed.length + objects.length;
}
