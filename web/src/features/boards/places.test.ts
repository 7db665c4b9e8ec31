/** Where issues come to be on a board. */
import { describe, expect, it } from 'vitest';
import type { BoardIssue, ColumnName } from '../../lib/boards.ts';
import { afterMove, moveByKey, moveTo, placeAt } from './places.ts';

const issue = (id: number) => ({ id, title: String(id) }) as BoardIssue;
const [a, b, c, d] = [issue(1), issue(2), issue(3), issue(4)];
const columns = new Map<ColumnName, BoardIssue[]>([
  ['backlog', [a, b, c]],
  ['7', [d]],
]);
const order = ['backlog', '7'] as const;
const ids = (items: readonly BoardIssue[]) => items.map(({ id }) => id);

describe('issues on a board', () => {
  it('are moved between their new neighbours', () => {
    expect(moveTo(columns, a, 'backlog', 'backlog', 0)).toBeNull();
    expect(moveTo(columns, a, 'backlog', 'backlog', 1)).toMatchObject({ above: b, below: c });
    expect(moveTo(columns, a, 'backlog', '7', 9)).toMatchObject({ to: '7', above: d, below: null });
  });

  it('are shown at their new place at once', () => {
    const within = moveTo(columns, a, 'backlog', 'backlog', 2);
    const across = moveTo(columns, b, 'backlog', '7', 0);
    if (!within || !across) throw new Error('both move');
    expect(ids(afterMove([a, b, c], 'backlog', within))).toEqual([2, 3, 1]);
    expect(ids(afterMove([a, b, c], 'backlog', across))).toEqual([1, 3]);
    expect(ids(afterMove([d], '7', across))).toEqual([2, 4]);
  });

  it('are moved by arrow keys, not beyond the edges', () => {
    expect(moveByKey(order, columns, b, 'backlog', 'ArrowUp')).toMatchObject({ above: null, below: a });
    expect(moveByKey(order, columns, b, 'backlog', 'ArrowDown')).toMatchObject({ above: c, below: null });
    expect(moveByKey(order, columns, b, 'backlog', 'ArrowRight')).toMatchObject({ to: '7', above: null, below: d });
    for (const [moved, key] of [
      [a, 'ArrowUp'],
      [c, 'ArrowDown'],
      [a, 'ArrowLeft'],
      [a, 'Enter'],
    ] as const)
      expect(moveByKey(order, columns, moved, 'backlog', key)).toBeNull();
  });

  it('are dropped before the card whose middle is below the pointer', () => {
    expect([placeAt([10, 30], 5), placeAt([10, 30], 20), placeAt([10, 30], 40), placeAt([], 1)]).toEqual([0, 1, 2, 0]);
  });
});
