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

/** As many commits as a branch of everyday work has: reading them costs less than starting git. */
const STRAIGHT_COMMITS = 30;

/** `head` and those behind it as long as each has exactly one parent; the last one may have more, or none. */
async function lineFrom(repo: Repo, head: Sha, ends: (id: Sha) => boolean): Promise<Sha[]> {
  const line = [head];
  for (let id = head; !ends(id) && line.length <= STRAIGHT_COMMITS; ) {
    const parents = (await readCommit(repo, id))?.parents;
    const [parent] = parents ?? [];
    if (parents?.length !== 1 || parent === undefined) break;
    line.push(parent);
    id = parent;
  }
  return line;
}

/**
 * The commits from `head` back to one for which `ends` is true, that one left out; null when a merge, a root or too many
 * commits come before it. In such a straight line every commit of the range is found, whatever the clocks say.
 */
export async function straightLine(repo: Repo, head: Sha, ends: (id: Sha) => boolean): Promise<Sha[] | null> {
  const line = await lineFrom(repo, head, ends);
  return ends(line.at(-1) as Sha) ? line.slice(0, -1) : null;
}

/**
 * Where two straight lines meet, with what each has of its own; null when a merge, a root or too many commits come
 * before it. Nothing else of their histories can be a better common ancestor.
 */
export async function forkOf(
  repo: Repo,
  a: Sha,
  b: Sha,
): Promise<{ readonly fork: Sha; readonly ofA: number; readonly ofB: number } | null> {
  const line = await lineFrom(repo, a, (id) => id === b);
  const places = new Map(line.map((id, index) => [id, index]));
  const other = await lineFrom(repo, b, (id) => places.has(id));
  const fork = other.at(-1) as Sha;
  const ofA = places.get(fork);
  return ofA === undefined ? null : { fork, ofA, ofB: other.length - 1 };
}
