/** Places of points in line charts. */
import { describe, expect, it } from 'vitest';
import { ceiling, durationAxis, pathOf, scaleOf, spanOf, ticksOf } from './lines.ts';

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

  it.each([
    [0, ['0 s', '1 s']],
    [2.2, ['0 s', '1 s', '2 s', '3 s']],
    [47, ['0 s', '10 s', '20 s', '30 s', '40 s', '50 s']],
    [100, ['0 s', '20 s', '40 s', '60 s', '80 s', '100 s']],
    [700, ['0 min', '5 min', '10 min', '15 min']],
    [5400, ['0 min', '20 min', '40 min', '60 min', '80 min', '100 min']],
    [9000, ['0 min', '30 min', '60 min', '90 min', '120 min', '150 min']],
    [20_000, ['0 h', '2 h', '4 h', '6 h']],
    [1_000_000, ['0 h', '72 h', '144 h', '216 h', '288 h']],
  ])('of durations have round ones beside them: up to %d s', (highest, labels) => {
    const { ticks, top, label } = durationAxis(highest);
    expect(ticks.map(label)).toEqual(labels);
    expect(top).toBe(ticks.at(-1));
    expect(top).toBeGreaterThanOrEqual(highest);
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
