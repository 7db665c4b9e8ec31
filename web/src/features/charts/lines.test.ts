/** Places of points in line charts. */
import { describe, expect, it } from 'vitest';
import { ceiling, pathOf, scaleOf, spanOf, ticksOf } from './lines.ts';

describe('line charts', () => {
  it('end at a round number', () => {
    expect([0, 1, 2, 3, 5, 7, 9, 10, 11, 24, 43, 120].map(ceiling)).toEqual([
      1, 1, 2, 3, 5, 8, 10, 10, 20, 30, 50, 200,
    ]);
  });

  it('have whole numbers beside them', () => {
    expect([1, 2, 5, 6, 10, 30].map(ticksOf)).toEqual([
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3, 4, 5],
      [0, 2, 4, 6],
      [0, 2, 4, 6, 8, 10],
      [0, 10, 20, 30],
    ]);
    for (const highest of [0, 3, 4, 6, 7, 9, 17, 33, 75, 999, 1001])
      expect(ticksOf(ceiling(highest)).every(Number.isInteger)).toBe(true);
  });

  it('place days from left to right and amounts from the bottom up', () => {
    const frame = { width: 120, height: 60, left: 10, right: 10, top: 5, bottom: 5 };
    const scale = scaleOf(frame, '2026-01-01', '2026-01-11', 10);
    expect([scale.x('2026-01-01'), scale.x('2026-01-06'), scale.x('2026-01-11')]).toEqual([10, 60, 110]);
    expect([scale.y(0), scale.y(5), scale.y(10)]).toEqual([55, 30, 5]);
    expect(spanOf('2026-01-01', '2026-01-01')).toBe(1);
    expect(
      pathOf([
        [1, 2],
        [3, 4.5],
      ]),
    ).toBe('M1 2L3 4.5');
  });
});
