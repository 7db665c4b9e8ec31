/** Which of many ranges of history have a commit: one walk for all of them. */
import type { Repo } from '../context.ts';
import { gitText } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';

export interface HistoryRange {
  /** Its history is left out; null for none. */
  base: Sha | null;
  head: Sha;
}

/** For each range whether `base..head` has the commit, in their order. Heads that are gone have nothing. */
export async function rangesWith(repo: Repo, commit: Sha, ranges: readonly HistoryRange[]): Promise<boolean[]> {
  if (ranges.length === 0) return [];
  // Everything between the commit and a head that descends from it, in one walk.
  const heads = [...new Set(ranges.map(({ head }) => head))];
  const args = ['rev-list', '--ignore-missing', '--ancestry-path', '--stdin'];
  const text = await gitText(repo, args, { work: 'heavy', input: `${[...heads, `^${commit}`].join('\n')}\n` });
  const after = new Set<string>(text.split('\n').filter(isSha)).add(commit);
  return ranges.map(({ base, head }) => after.has(head) && (base === null || !after.has(base)));
}
