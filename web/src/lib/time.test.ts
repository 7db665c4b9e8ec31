/** Times and sizes in words. */
import { describe, expect, it } from 'vitest';
import { bytes, duration, durationText, relativeTime, secondsOf } from './time.ts';

const now = new Date('2026-01-10T12:00:00Z');
const ago = (seconds: number) => relativeTime(new Date(now.getTime() - seconds * 1000), now);

describe('relative times', () => {
  it('choose the unit that people would', () => {
    expect([
      ago(3),
      ago(50),
      ago(180),
      ago(7300),
      ago(90_000),
      ago(86_400 * 10),
      ago(86_400 * 70),
      ago(86_400 * 800),
    ]).toEqual([
      'just now',
      '50 seconds ago',
      '3 minutes ago',
      '2 hours ago',
      'yesterday',
      'last week',
      '2 months ago',
      '2 years ago',
    ]);
  });
});

it('durations and sizes are short', () => {
  expect([duration(9), duration(125), duration(3720)]).toEqual(['9 s', '2 min 05 s', '1 h 02 min']);
  expect([bytes(12), bytes(1400), bytes(47_000), bytes(3_200_000_000)]).toEqual(['12 B', '1.4 kB', '47 kB', '3.2 GB']);
});

describe('durations that people type', () => {
  it('are read in short and long units, and plain numbers as seconds', () => {
    expect(['1h 30m', '90m', '2 hours', '1d', '5400', ' 45 s '].map(secondsOf)).toEqual([
      5400, 5400, 7200, 86_400, 5400, 45,
    ]);
    expect(['', 'soon', '1h soon', '-5m', '3 fortnights'].map(secondsOf)).toEqual([null, null, null, null, null]);
  });

  it('are written so that they are read as the same', () => {
    expect([0, 45, 5400, 90_061].map(durationText)).toEqual(['0s', '45s', '1h 30m', '1d 1h 1m 1s']);
    for (const seconds of [0, 1, 59, 61, 3600, 86_399, 2_592_000])
      expect(secondsOf(durationText(seconds))).toBe(seconds);
  });
});
