/** git's default commit order (newest committer date first) over the commit cache, without a process. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import type { Commit } from '../objects/parse.ts';
import { readCommit } from '../objects/read.ts';
import { peelToCommit } from '../objects/tree.ts';
import type { Sha } from '../types.ts';

/** Behind those of the same date, as in git: equal dates come out in the order in which they were found. */
function insertByDate(queue: Commit[], commit: Commit): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle] as Commit).committer.seconds >= commit.committer.seconds) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, commit);
}

/** The first `count` ids of `git rev-list FROM...`. Throws `not_found` for a start that is no commit. */
export async function walkByDate(
  repo: Repo,
  from: readonly Sha[],
  count: number,
  firstParent: boolean,
): Promise<Sha[]> {
  const queue: Commit[] = [];
  const seen = new Set<Sha>();

  async function add(ids: readonly Sha[]): Promise<void> {
    const fresh = ids.filter((id) => !seen.has(id) && seen.add(id));
    for (const commit of await Promise.all(fresh.map((id) => readCommit(repo, id)))) {
      if (!commit) throw new GitError('corrupt', 'a parent commit is missing');
      insertByDate(queue, commit);
    }
  }

  const starts = await Promise.all(from.map((id) => peelToCommit(repo, id)));
  if (starts.some((id) => id === null)) throw new GitError('not_found', 'no such commit');
  await add(starts.filter((id) => id !== null));
  const result: Sha[] = [];
  while (result.length < count) {
    const next = queue.shift();
    if (!next) break;
    result.push(next.id);
    if (result.length < count) await add(firstParent ? next.parents.slice(0, 1) : next.parents);
  }
  return result;
}
