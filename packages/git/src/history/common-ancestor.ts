/** The common ancestor of two commits whose histories meet soon, over the commit cache, without a process. */
import type { Repo } from '../context.ts';
import type { Commit } from '../objects/parse.ts';
import { readCommit } from '../objects/read.ts';
import type { Sha } from '../types.ts';
import { forkOf } from './walk.ts';

export interface CommonAncestor {
  readonly fork: Sha;
  /** Commits that only the first, and only the second, has. */
  readonly ofA: number;
  readonly ofB: number;
}

/** As many commits as are read in the time that git needs to start. */
const MOST_COMMITS = 64;

const OF_A = 1;
const OF_B = 2;
const BOTH = OF_A | OF_B;
/** Behind a common ancestor: no better one lies there. */
const BEHIND = 4;

/**
 * Paints both histories down to where they meet, as git does: every best common ancestor is found before nothing but what
 * lies behind one is left. Null when there is not exactly one, when it is too far away, or when a commit is dated before
 * its parent: then commits may be counted that both have.
 */
async function paintDown(repo: Repo, a: Sha, b: Sha): Promise<CommonAncestor | null> {
  const paint = new Map<Sha, number>([
    [a, OF_A],
    [b, OF_B],
  ]);
  const commits = new Map<Sha, Commit>();
  const waiting = new Set<Sha>([a, b]);
  const dateOf = (id: Sha) => commits.get(id)?.committer.seconds ?? Number.POSITIVE_INFINITY;
  const isBehind = (id: Sha) => ((paint.get(id) ?? 0) & BEHIND) !== 0;
  /** Behind what both have, of the same time as what one has alone: it may lead there. */
  const mayLeadOn = () => {
    const oldest = Math.min(...[...commits.keys()].filter((id) => paint.get(id) !== BOTH && !isBehind(id)).map(dateOf));
    return [...waiting].some((id) => dateOf(id) >= oldest);
  };
  while ([...waiting].some((id) => !isBehind(id)) || mayLeadOn()) {
    const unread = [...waiting].filter((id) => !commits.has(id));
    if (commits.size + unread.length > MOST_COMMITS) return null;
    for (const commit of await Promise.all(unread.map((id) => readCommit(repo, id)))) {
      if (!commit) return null;
      commits.set(commit.id, commit);
    }
    const [first, ...rest] = waiting;
    if (!first) break;
    const newest = rest.reduce((found, id) => (dateOf(id) > dateOf(found) ? id : found), first);
    waiting.delete(newest);
    const own = paint.get(newest) ?? 0;
    const passed = (own & BOTH) === BOTH ? own | BEHIND : own;
    for (const parent of commits.get(newest)?.parents ?? []) {
      const had = paint.get(parent) ?? 0;
      if ((had | passed) === had) continue;
      paint.set(parent, had | passed);
      waiting.add(parent);
    }
  }
  const oldestFirst = [...commits.values()].some(({ parents, committer }) =>
    parents.some((id) => (commits.get(id)?.committer.seconds ?? 0) > committer.seconds),
  );
  if (oldestFirst) return null;
  const having = (colour: number) => [...paint].filter(([, each]) => each === colour);
  const [best, ...others] = having(BOTH);
  if (!best || others.length > 0) return null;
  return { fork: best[0], ofA: having(OF_A).length, ofB: having(OF_B).length };
}

/** Null where git has to say it. */
export const commonAncestor = async (repo: Repo, a: Sha, b: Sha): Promise<CommonAncestor | null> =>
  (await forkOf(repo, a, b)) ?? (await paintDown(repo, a, b));
