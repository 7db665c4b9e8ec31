/** Where the lines of a history run: one column for each line that is open at a commit. */

export interface LaneCommit {
  readonly id: string;
  readonly parent_ids: readonly string[];
}

/** A line from the middle of one row to the middle of the next. */
export interface Link {
  readonly from: number;
  readonly to: number;
}

export interface Lane {
  readonly column: number;
  readonly links: readonly Link[];
}

function firstFree(lanes: readonly (string | null)[]): number {
  const free = lanes.indexOf(null);
  return free === -1 ? lanes.length : free;
}

/**
 * The lane of each commit, in the order given, children before parents. A lane waits for one commit; parents that are
 * not among the commits keep theirs to the end.
 */
export function lanesOf(commits: readonly LaneCommit[]): Lane[] {
  let waiting: (string | null)[] = [];
  return commits.map(({ id, parent_ids }) => {
    const known = waiting.indexOf(id);
    const column = known === -1 ? firstFree(waiting) : known;
    const next = [...waiting];
    next[column] = null;
    const links: Link[] = [];
    for (const [at, each] of next.entries()) if (each !== null) links.push({ from: at, to: at });
    for (const parent of new Set(parent_ids)) {
      const there = next.indexOf(parent);
      const to = there !== -1 ? there : next[column] === null ? column : firstFree(next);
      next[to] = parent;
      links.push({ from: column, to });
    }
    while (next.length > 0 && next.at(-1) === null) next.pop();
    waiting = next;
    return { column, links };
  });
}

/** Columns that the rows need. */
export const widthOf = (lanes: readonly Lane[]): number =>
  lanes.reduce((most, { column, links }) => Math.max(most, column + 1, ...links.map(({ to }) => to + 1)), 1);
