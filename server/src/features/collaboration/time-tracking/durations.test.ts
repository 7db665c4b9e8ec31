/** Amounts of work in words. */
import { expect, it } from 'vitest';
import { humanDuration, parseDuration } from './durations.ts';

const hour = 3600;
it.each([
  ['3h30m', 3.5 * hour],
  ['1mo 2w 3d 4h 5m', (160 + 80 + 24 + 4) * hour + 300],
  ['1d', 8 * hour],
  ['1w', 40 * hour],
  ['2', 2 * hour],
  ['1.5h', 5400],
  ['1 hour and 20 minutes', 4800],
  ['1:30:00', 5400],
  ['-2h', -2 * hour],
  ['- 30m', -1800],
  ['45s', 45],
  ['0h', 0],
  ['', null],
  ['soon', null],
  ['3 elephants', null],
  ['9999999y', null],
])('[2/fields.time-stats/1] %j is %j seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

it.each([
  [0, null],
  [60, '1m'],
  [3.5 * hour, '3h 30m'],
  [8 * hour, '1d'],
  [40 * hour, '1w'],
  [160 * hour, '1mo'],
  [(160 + 80 + 24 + 4) * hour + 305, '1mo 2w 3d 4h 5m 5s'],
  [12 * 160 * hour, '12mo'],
  [31_557_600, '1y'],
  [-hour, '-1h'],
])('[2/fields.time-stats/1] %j seconds are %j', (seconds, text) => {
  expect(humanDuration(seconds)).toBe(text);
});
