/** Which references contain a commit, and which are merged into one: git's own walk, ids only. */
import type { Repo } from '../context.ts';
import { gitText } from '../process/run.ts';
import type { RefName, Sha } from '../types.ts';

async function names(repo: Repo, filter: string, prefix: string, limit: number): Promise<RefName[]> {
  const args = ['for-each-ref', `--count=${limit}`, filter, '--format=%(refname)', '--', prefix];
  const text = await gitText(repo, args, { work: 'heavy' });
  return text.split('\n').filter((line) => line !== '') as RefName[];
}

/** References below the prefix that have this commit in their history, by name, at most `limit` (default 1,000). */
export function refsContaining(
  repo: Repo,
  commit: Sha,
  options: { prefix: 'refs/heads/' | 'refs/tags/'; limit?: number },
): Promise<RefName[]> {
  return names(repo, `--contains=${commit}`, options.prefix, options.limit ?? 1000);
}

/** Whether there is any reference below the prefix, asked of the repository itself. */
export async function hasRefs(repo: Repo, prefix: 'refs/heads/' | 'refs/tags/'): Promise<boolean> {
  return (await gitText(repo, ['for-each-ref', '--count=1', '--format=x', '--', prefix], { work: 'read' })) !== '';
}

/** Branches whose tip is in the history of this commit. */
export async function branchesMergedInto(repo: Repo, commit: Sha, limit = 100_000): Promise<Set<RefName>> {
  return new Set(await names(repo, `--merged=${commit}`, 'refs/heads/', limit));
}
