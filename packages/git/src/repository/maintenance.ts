/** Keeping repositories quick and healthy: commit-graph, packing, pruning, fsck. */
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError, isGitError } from '../errors.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { canGuard, guarded } from '../process/guard.ts';
import { runGit } from '../process/run.ts';
import { clearLocks, despiteLocks } from '../refs/update.ts';
import { filesBelow } from './files-below.ts';
import { listLocks, removeStaleObjects } from './sweep.ts';

/** One rewriter of packs at a time, whichever server started it. What a killed one left in the way goes first. */
async function rewrite(repo: Repo, args: readonly string[]): Promise<void> {
  const run = () => runGit(repo, args, { work: 'maintenance', guard: 'objects' });
  try {
    await run();
  } catch (error) {
    if (!isGitError(error, 'locked') || !canGuard(repo.git.path)) throw error;
    await guarded(repo, 'objects', () => removeStaleObjects(repo));
    await run();
  }
}

/** Writes the commit-graph with changed-path filters, which makes histories of paths 3 to 16 times cheaper. */
export async function writeCommitGraph(repo: Repo): Promise<void> {
  await rewrite(repo, ['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress']);
}

/** Collects loose references in one file; deleted and changed ones stay correct meanwhile. */
export async function packRefs(repo: Repo): Promise<void> {
  await despiteLocks(repo, {}, () =>
    runGit(repo, ['pack-refs', '--all', '--prune'], { work: 'maintenance', guard: 'refs' }),
  );
}

export interface RepackOptions {
  /** One pack of everything instead of rolling small ones together. */
  full?: boolean;
  /** Other repositories borrow these objects: nothing may ever be dropped. */
  lent?: boolean;
}

/** With more packs than this a repository that borrows objects gets one pack of its own. */
const MAX_BORROWER_PACKS = 10;

/** Rolls small packs and loose objects into larger ones. Without `full` no object is dropped. */
export async function repack(repo: Repo, options: RepackOptions = {}): Promise<void> {
  const borrows = await stat(join(repo.path, 'objects/info/alternates')).then(
    () => true,
    () => false,
  );
  const { packs } = await storeCounts(repo);
  // git 2.39 crashes in a geometric repack where all objects are borrowed, and bitmaps need all objects in one place.
  const full = options.full || (borrows && packs > MAX_BORROWER_PACKS);
  const everything = options.lent ? ['-a', '-k'] : ['-A', '--unpack-unreachable=2.weeks.ago'];
  const how = full ? everything : borrows ? [] : ['--geometric=2'];
  const index = borrows ? [] : ['--write-midx', '--write-bitmap-index'];
  await rewrite(repo, ['repack', '-d', '-l', '-q', ...how, ...index]);
}

/** Removes unreachable loose objects older than this many seconds (default two weeks) and those that are packed. */
export async function prune(repo: Repo, olderThanSeconds = 14 * 86_400): Promise<void> {
  await rewrite(repo, ['prune-packed', '-q']);
  const before = Math.floor(Date.now() / 1000) - olderThanSeconds;
  await rewrite(repo, ['prune', `--expire=@${before}`]);
}

/** Written when unreachable objects were dropped. */
const PRUNED = 'objects.pruned';

/** All of the above in the right order. Drops what is old and unreachable: hold the repository's lock. */
export async function maintain(repo: Repo, options: RepackOptions = {}): Promise<void> {
  await packRefs(repo);
  await repack(repo, options);
  if (!options.lent) {
    await prune(repo);
    await writeFile(join(repo.path, PRUNED), '');
  }
  await writeCommitGraph(repo);
}

/** Loose objects and packs from which on rolling them together is worth its time. */
const MANY_LOOSE_OBJECTS = 1024;
const MANY_PACKS = 12;
/** Loose references from which on they are collected, and more where the file with the others is large. */
const MANY_LOOSE_REFS = 64;
const PACKED_BYTES_PER_LOOSE_REF = 6400;
/** Nothing that maintenance writes takes as long. */
const TEMPORARY_AGE_MS = 86_400_000;

/**
 * What a repository needs now and then while it is written: safe beside readers and writers, because no object is ever
 * dropped. Answers what it did.
 */
export async function tend(repo: Repo): Promise<{ refsPacked: boolean; repacked: boolean }> {
  const [counts, looseRefs, packedBytes] = await Promise.all([
    storeCounts(repo),
    filesBelow(join(repo.path, 'refs')).then((files) => files.length),
    stat(join(repo.path, 'packed-refs')).then(
      (info) => info.size,
      () => 0,
    ),
  ]);
  const refsPacked = looseRefs >= Math.max(MANY_LOOSE_REFS, packedBytes / PACKED_BYTES_PER_LOOSE_REF);
  const repacked = counts.looseObjects >= MANY_LOOSE_OBJECTS || counts.packs > MANY_PACKS;
  // Packing that ended with its server leaves locks of references that nobody may write again, and is asked for again.
  if ((await listLocks(repo)).length > 0) await clearLocks(repo);
  if (refsPacked) await packRefs(repo);
  if (canGuard(repo.git.path)) await guarded(repo, 'objects', () => removeStaleObjects(repo, TEMPORARY_AGE_MS));
  if (repacked) await repack(repo);
  await writeCommitGraph(repo);
  return { refsPacked, repacked };
}

/** Whether unreachable objects were dropped since the quarantine was made: what was found connected then may not be now. */
export async function prunedSince(quarantine: Quarantine): Promise<boolean> {
  const pruned = await stat(join(quarantine.base.path, PRUNED)).catch(() => null);
  return pruned !== null && pruned.mtimeMs >= quarantine.madeAt;
}

export interface FsckReport {
  healthy: boolean;
  /** Lines of git's report, at most 1,000. */
  problems: string[];
}

/** A full check of all objects. Slow: for the administrator and for health checks by schedule. */
export async function fsck(repo: Repo): Promise<FsckReport> {
  const args = ['fsck', '--full', '--no-dangling', '--no-progress'];
  try {
    const { code, stdout, stderr } = await runGit(repo, args, {
      work: 'maintenance',
      okCodes: [0, 1, 2, 3, 4, 5, 6, 7],
    });
    const problems = `${stdout.toString('utf8')}${stderr}`.split('\n').filter((line) => line !== '');
    return { healthy: code === 0, problems: problems.slice(0, 1000) };
  } catch (error) {
    if (error instanceof GitError && error.exitCode !== null)
      return { healthy: false, problems: error.stderr.split('\n') };
    throw error;
  }
}

export interface StoreCounts {
  looseObjects: number;
  packs: number;
}

/** How much there is to pack: the reason for maintenance. Counts a sample of the loose objects, as git does. */
export async function storeCounts(repo: Repo): Promise<StoreCounts> {
  const sample = await readdir(join(repo.path, 'objects/17')).catch(() => []);
  const packs = await readdir(join(repo.path, 'objects/pack')).catch(() => []);
  return { looseObjects: sample.length * 256, packs: packs.filter((name) => name.endsWith('.pack')).length };
}

/** The version of git, `2.39.5`. Throws `unavailable` when it cannot be started. */
export async function gitVersion(git: Repo['git']): Promise<string> {
  const { stdout } = await runGit({ git, path: null, caller: 'system' }, ['version'], { work: 'read' });
  return /\d+\.\d+(\.\d+)?/.exec(stdout.toString('utf8'))?.[0] ?? 'unknown';
}
