/** Durations of stages in words. */
import { expect, it } from 'vitest';
import { spanText } from './value-stream.ts';

it('durations name their two largest units', () => {
  const spans = [0, 59, 60, 3600, 3660, 86_400, 90_061, 200_000];
  expect(spans.map(spanText)).toEqual([
    'less than a minute',
    'less than a minute',
    '1 min',
    '1 h',
    '1 h 1 min',
    '1 d',
    '1 d 1 h',
    '2 d 7 h',
  ]);
});
