/** Windows of rate limits, as tests meet them. */
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
