/** The runner of a job: heard, silent, lost, by a clock of the test. */
import { describe, expect, it } from 'vitest';
import { continueWatch, type RunnerWatch, runnerState } from './heartbeats.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const long: RunnerWatch = { since: at(-3600), seenAt: at(0) };

describe('a runner', () => {
  it.each([
    [0, 'heard'],
    [30, 'heard'],
    [45, 'heard'],
    [46, 'silent'],
    [75, 'silent'],
    [76, 'lost'],
    [3600, 'lost'],
  ])('that was heard %d seconds ago is %s', (age, state) => {
    expect(runnerState(at(0), long, at(age))).toBe(state);
  });

  it('that is silent is heard again with its next request', () => {
    expect(runnerState(at(0), long, at(70))).toBe('silent');
    expect(runnerState(at(69), long, at(80))).toBe('heard');
  });

  it.each([
    [74, 'silent'],
    [76, 'lost'],
  ])('has the whole time from when the instance began to look: after %d seconds it is %s', (looked, state) => {
    const watch = { since: at(1000), seenAt: at(1000) };
    expect(runnerState(at(0), watch, at(1000 + looked))).toBe(state);
  });
});

describe('the watch', () => {
  /** Looks at these seconds, the first without any before. */
  const watchOf = (...looks: number[]) =>
    looks.reduce<RunnerWatch | null>((watch, second) => continueWatch(watch, at(second)), null);

  it('lasts from its first look while looks follow each other, and one may be late', () => {
    expect(watchOf(0, 15, 30, 75, 90)).toEqual({ since: at(0), seenAt: at(90) });
  });

  it('begins anew after a pause', () => {
    expect(watchOf(0, 15, 61)).toEqual({ since: at(61), seenAt: at(61) });
  });

  it('fails no job of a runner that was heard before a pause and is heard within 75 seconds after it', () => {
    const watch = watchOf(0, 15, 300, 315, 330, 345, 360, 375) as RunnerWatch;
    expect([runnerState(at(10), watch, at(375)), runnerState(at(10), watch, at(376))]).toEqual(['silent', 'lost']);
  });
});
