/** Windows of the clock, as tests meet them: those of rate limits, and days. */
import { setTimeout } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** How far the clock of a test may be ahead of the database's, which goes on meanwhile. */
const mostAhead = 20_000;

/**
 * Windows of limits end with a minute of the clock, those of an hour too: a test that counts up to a limit calls this first.
 * Until it ends its clock stands still, in a minute that is not about to end: it has one window to itself on any machine.
 */
export function stopClock(): void {
  const now = Date.now();
  const left = 60_000 - (now % 60_000);
  vi.useFakeTimers({ toFake: ['Date'], now: left < mostAhead ? now + left : now });
  onTestFinished(() => void vi.useRealTimers());
}

/** More than the tests of a file take that give days as dates. */
const enoughOfDay = 30_000;

/**
 * Days end at midnight UTC: a file whose tests give dates relative to today calls this before the first of them, and has one
 * day to itself.
 */
export async function insideDay(): Promise<void> {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < enoughOfDay) await setTimeout(left);
}
