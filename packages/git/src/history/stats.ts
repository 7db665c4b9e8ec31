/** Added and deleted lines of commits, counted against the first parent, cached by id. */
import type { Repo } from '../context.ts';
import { isGitError } from '../errors.ts';
import { readCommit } from '../objects/read.ts';
import { helperNumstat } from '../process/diff-tree.ts';
import { gitText } from '../process/run.ts';
import { EMPTY_TREE, type Sha } from '../types.ts';

export interface LineStats {
  additions: number;
  deletions: number;
  total: number;
  files: number;
}

/** Sums `git diff --numstat -z`: `added TAB deleted TAB path NUL`; of renames the path is empty, and two fields follow. */
function sumNumstat(text: string): LineStats {
  let additions = 0;
  let deletions = 0;
  let files = 0;
  const fields = text.split('\0');
  for (let at = 0; at < fields.length; at += 1) {
    // Binary files have dashes.
    const match = /^(\d+|-)\t(\d+|-)\t(.?)/s.exec(fields[at] ?? '');
    if (!match) continue;
    // Old and new name of a rename, which may look like a line of their own.
    if (match[3] === '') at += 2;
    files += 1;
    additions += Number(match[1]) || 0;
    deletions += Number(match[2]) || 0;
  }
  return { additions, deletions, total: additions + deletions, files };
}

/** Line counts between two commits or trees. */
export async function diffStats(repo: Repo, from: Sha | null, to: Sha): Promise<LineStats> {
  const key = `stats${repo.key}:${from}:${to}`;
  const known = repo.git.cache.get(key) as LineStats | undefined;
  if (known) return known;
  const args = ['diff-tree', '-r', '-M', '--numstat', '-z', from ?? EMPTY_TREE, to, '--'];
  const stats = sumNumstat(await gitText(repo, args, { work: 'heavy' }));
  repo.git.cache.set(key, stats, 200);
  return stats;
}

/** Line counts of one commit; null when there is no such commit. */
export async function commitStats(repo: Repo, id: Sha): Promise<LineStats | null> {
  const key = `stats${repo.key}:${id}`;
  const known = repo.git.cache.get(key) as LineStats | undefined;
  if (known) return known;
  const commit = await readCommit(repo, id);
  if (!commit) return null;
  const parent = commit.parents[0] ?? null;
  let stats: LineStats;
  try {
    stats = sumNumstat(await helperNumstat(repo, id, parent));
  } catch (error) {
    if (!isGitError(error, 'timeout', 'limit', 'failed')) throw error;
    stats = await diffStats(repo, parent, id);
  }
  repo.git.cache.set(key, stats, 200);
  return stats;
}
