/** Trees of epics, and where they are on a roadmap. */
import { describe, expect, it } from 'vitest';
import { barOf, monthsOf, treeOf } from './epics.ts';

describe('epics', () => {
  it('are shown below their parents, those of hidden parents at the top', () => {
    const all = [
      { id: 3, parent_id: 1 },
      { id: 1, parent_id: null },
      { id: 2, parent_id: 99 },
      { id: 4, parent_id: 3 },
    ];
    expect(treeOf(all).map(({ epic, depth }) => [epic.id, depth])).toEqual([
      [1, 0],
      [3, 1],
      [4, 2],
      [2, 0],
    ]);
  });

  it('have months on a roadmap from the earliest start to the latest end', () => {
    const months = monthsOf([{ start_date: '2026-11-20', due_date: '2027-01-31' }], '2026-12-05');
    expect(months.map(({ first }) => first)).toEqual(['2026-11-01', '2026-12-01', '2027-01-01', '2027-02-01']);
    expect(monthsOf([{ start_date: '1990-01-01', due_date: '2100-01-01' }], '2026-12-05')).toHaveLength(24);
    expect(monthsOf([], '2026-12-05').map(({ first }) => first)).toEqual(['2026-12-01', '2027-01-01']);
  });

  it('have a bar from the first to the last day, open at the side without a date', () => {
    const months = monthsOf([{ start_date: '2026-11-01', due_date: '2026-11-30' }], '2026-11-15');
    expect(months.at(-1)?.end).toBe('2027-01-01');
    expect(barOf({ start_date: '2026-11-01', due_date: '2026-11-30' }, months)).toEqual({ left: 0, width: 49.18 });
    expect(barOf({ start_date: '2026-12-01', due_date: null }, months)).toEqual({ left: 49.18, width: 50.82 });
    expect(barOf({ start_date: null, due_date: null }, months)).toBeNull();
    expect(barOf({ start_date: '2028-01-01', due_date: null }, months)).toBeNull();
  });
});
