/** What a killed writer leaves behind: quarantines and lock files. For whoever holds the repository's lock. */
import { readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repo } from '../context.ts';
import { QUARANTINE_PREFIX } from '../objects/quarantine.ts';

export interface Leftover {
  /** Absolute path. */
  path: string;
  ageMs: number;
}

async function withAge(path: string): Promise<Leftover | null> {
  const info = await stat(path).catch(() => null);
  return info ? { path, ageMs: Date.now() - info.mtimeMs } : null;
}

async function olderThan(paths: string[], minAgeMs: number): Promise<Leftover[]> {
  const found = await Promise.all(paths.map(withAge));
  return found.filter((leftover) => leftover !== null).filter(({ ageMs }) => ageMs >= minAgeMs);
}

/** Quarantines that nobody has touched for this long. */
export async function listQuarantines(repo: Repo, minAgeMs = 0): Promise<Leftover[]> {
  const objects = join(repo.path, 'objects');
  const names = await readdir(objects).catch(() => []);
  const ours = names.filter((name) => name.startsWith(QUARANTINE_PREFIX) || name.startsWith('tmp_objdir-'));
  return olderThan(
    ours.map((name) => join(objects, name)),
    minAgeMs,
  );
}

/** Lock files below `refs/` and next to `HEAD`, `packed-refs`, `config`, at least this old. */
export async function listLocks(repo: Repo, minAgeMs = 0): Promise<Leftover[]> {
  const below = await readdir(join(repo.path, 'refs'), { recursive: true }).catch(() => []);
  const locks = below.filter((name) => name.endsWith('.lock')).map((name) => join(repo.path, 'refs', name));
  const own = ['HEAD.lock', 'packed-refs.lock', 'packed-refs.new', 'config.lock'].map((name) => join(repo.path, name));
  const graphs = ['commit-graph.lock', 'commit-graphs/commit-graph-chain.lock'];
  const info = graphs.map((name) => join(repo.path, 'objects/info', name));
  return olderThan([...locks, ...own, ...info, join(repo.path, 'objects/pack/multi-pack-index.lock')], minAgeMs);
}

/**
 * Removes lock files that a dead writer left: call it only as the holder of the repository's lock, when no git of
 * another process can be writing. Returns what was removed.
 */
export async function removeStaleLocks(repo: Repo, minAgeMs = 0): Promise<Leftover[]> {
  const locks = await listLocks(repo, minAgeMs);
  await Promise.all(locks.map(({ path }) => unlink(path).catch(() => {})));
  return locks;
}

/** Removes quarantines at least this old (default one hour). Returns what was removed. */
export async function removeStaleQuarantines(repo: Repo, minAgeMs = 3_600_000): Promise<Leftover[]> {
  const found = await listQuarantines(repo, minAgeMs);
  await Promise.all(found.map(({ path }) => rm(path, { recursive: true, force: true })));
  return found;
}
