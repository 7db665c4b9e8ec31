/** Weeks of the calendar of contributions. */
import { expect, test } from 'vitest';
import { weeksOf } from './contributions.ts';

test('the last week ends today, days count up to four levels', () => {
  const weeks = weeksOf(
    [
      { date: '2026-03-04', count: 8 },
      { date: '2026-03-03', count: 1 },
    ],
    new Date('2026-03-04T10:00:00Z'),
    0,
  );
  expect(weeks).toHaveLength(53);
  expect(weeks.at(-1)?.days.map(({ date, level }) => [date, level])).toEqual([
    ['2026-03-01', 0],
    ['2026-03-02', 0],
    ['2026-03-03', 1],
    ['2026-03-04', 4],
  ]);
  expect(weeks[0]?.days[0]?.date).toBe('2025-03-02');
  expect(weeks.filter(({ startsMonth }) => startsMonth)).toHaveLength(13);
});

test('weeks begin on the day that the instance says', () => {
  const last = (firstDay: number) => weeksOf([], new Date('2026-03-04T10:00:00Z'), firstDay).at(-1)?.days[0]?.date;
  expect([0, 1, 6].map(last)).toEqual(['2026-03-01', '2026-03-02', '2026-02-28']);
});

test('a month of which a single week is left names no column: the next name would lie upon its own', () => {
  const starts = (now: string) => weeksOf([], new Date(now), 0).map(({ startsMonth }) => startsMonth);
  // The first weeks begin on November 30 and December 7; on November 23, 30 and December 7.
  expect(starts('2026-11-29T10:00:00Z').slice(0, 3)).toEqual([false, true, false]);
  expect(starts('2026-11-22T10:00:00Z').slice(0, 3)).toEqual([true, false, true]);
});
