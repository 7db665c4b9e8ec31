/** Windows of the clock, as tests meet them: those of rate limits, and days. */
import { setTimeout } from 'node:timers/promises';

/** More than any test takes between its first counted request and its last one. */
const enough = 10_000;

/**
 * Windows of limits end with a minute of the clock, those of an hour too: a test that counts up to a limit calls this first,
 * and has one window to itself. Waits for the next minute when this one is about to end.
 */
export async function insideMinute(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < enough) await setTimeout(left);
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
