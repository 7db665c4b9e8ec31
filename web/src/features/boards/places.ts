/** Where an issue that is dragged or moved by keyboard comes to be among the issues of a column. Pure. */
import type { BoardIssue, BoardMove, ColumnName } from '../../lib/boards.ts';

type Columns = ReadonlyMap<ColumnName, readonly BoardIssue[]>;

/** The move of an issue to a place of a column, counted without itself; null where it is there already. */
export function moveTo(
  columns: Columns,
  issue: BoardIssue,
  from: ColumnName,
  to: ColumnName,
  at: number,
): BoardMove | null {
  const target = columns.get(to) ?? [];
  const rest = target.filter(({ id }) => id !== issue.id);
  const place = Math.max(0, Math.min(at, rest.length));
  if (from === to && target[place]?.id === issue.id) return null;
  return { issue, from, to, above: rest[place - 1] ?? null, below: rest[place] ?? null };
}

/** A column after a move, as it is shown until the server answers. */
export function afterMove(items: readonly BoardIssue[], column: ColumnName, move: BoardMove): BoardIssue[] {
  const leaves = column === move.from || column === move.to;
  const rest = leaves ? items.filter(({ id }) => id !== move.issue.id) : [...items];
  if (column !== move.to) return rest;
  const below = move.below ? rest.findIndex(({ id }) => id === move.below?.id) : -1;
  const above = move.above ? rest.findIndex(({ id }) => id === move.above?.id) : -1;
  rest.splice(below >= 0 ? below : above + 1, 0, move.issue);
  return rest;
}

/** The place before which something is dropped, from the middles of the cards from top to bottom. */
export const placeAt = (middles: readonly number[], y: number): number => {
  const found = middles.findIndex((middle) => y < middle);
  return found === -1 ? middles.length : found;
};

const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as const;

/** The move that an arrow key makes of an issue; null at the edge, and for other keys. */
export function moveByKey(
  order: readonly ColumnName[],
  columns: Columns,
  issue: BoardIssue,
  from: ColumnName,
  key: string,
): BoardMove | null {
  const step = steps[key as keyof typeof steps];
  if (!step) return null;
  const at = (columns.get(from) ?? []).findIndex(({ id }) => id === issue.id);
  if (step[0] === 0) {
    const place = at + step[1];
    return place < 0 || place >= (columns.get(from)?.length ?? 0) ? null : moveTo(columns, issue, from, from, place);
  }
  const to = order[order.indexOf(from) + step[0]];
  return to === undefined ? null : moveTo(columns, issue, from, to, 0);
}
