/**
 * Whether the runner of a job is still there, from when it was last heard. Pure.
 *
 * heard --(45 s without a request about the job)--> silent --(75 s)--> lost; any request leads back to heard. A runner
 * without new output reports every 30 s: it does so less often only where it is told to send its log less often than
 * every 7 s, and it is told 1 s. Silence counts only while the instance could have heard: after a start or a pause
 * of its own, every runner gets the whole time again.
 */

/** Seconds. */
const silentAfter = 45;
const lostAfter = 75;
/** Seconds between two looks; one of them may be late. */
export const lookEvery = 15;
const longestPause = 3 * lookEvery;

/** For how long the instance has looked without a pause. */
export interface RunnerWatch {
  readonly since: Date;
  readonly seenAt: Date;
}

export type RunnerState = 'heard' | 'silent' | 'lost';

const secondsBetween = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000;

/** The watch after a look at `now`; `before` is null where nobody looked, or whoever did may not have heard. */
export function continueWatch(before: RunnerWatch | null, now: Date): RunnerWatch {
  const unbroken = before !== null && secondsBetween(before.seenAt, now) <= longestPause;
  return { since: unbroken ? before.since : now, seenAt: now };
}

export function runnerState(contactedAt: Date, watch: RunnerWatch, now: Date): RunnerState {
  const silence = Math.min(secondsBetween(contactedAt, now), secondsBetween(watch.since, now));
  if (silence > lostAfter) return 'lost';
  return silence > silentAfter ? 'silent' : 'heard';
}
