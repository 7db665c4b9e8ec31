/** Keeping repositories quick and healthy: commit-graph, packing, pruning, fsck. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { runGit } from '../process/run.ts';

/** Writes the commit-graph with changed-path filters, which makes histories of paths 3 to 16 times cheaper. */
export async function writeCommitGraph(repo: Repo): Promise<void> {
  const args = ['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress'];
  await runGit(repo, args, { work: 'maintenance' });
}

/** Collects loose references in one file; deleted and changed ones stay correct meanwhile. */
export async function packRefs(repo: Repo): Promise<void> {
  await runGit(repo, ['pack-refs', '--all', '--prune'], { work: 'maintenance' });
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
  await runGit(repo, ['repack', '-d', '-l', '-q', ...how, ...index], { work: 'maintenance' });
}

/** Removes unreachable loose objects older than this many seconds (default two weeks) and those that are packed. */
export async function prune(repo: Repo, olderThanSeconds = 14 * 86_400): Promise<void> {
  await runGit(repo, ['prune-packed', '-q'], { work: 'maintenance' });
  const before = Math.floor(Date.now() / 1000) - olderThanSeconds;
  await runGit(repo, ['prune', `--expire=@${before}`], { work: 'maintenance' });
}

/** All of the above in the right order: what the scheduled maintenance of one repository does. Hold its lock. */
export async function maintain(repo: Repo, options: RepackOptions = {}): Promise<void> {
  await packRefs(repo);
  await repack(repo, options);
  if (!options.lent) await prune(repo);
  await writeCommitGraph(repo);
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
