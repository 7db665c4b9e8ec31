/** Whether a period is frozen at a moment: its end comes before its next beginning. Pure. */
import type { FreezePeriod } from '../../../kernel/db/rows.ts';
import { nextRunOf } from '../../ci/index.ts';

export function isFrozen(
  { freeze_start, freeze_end, cron_timezone }: Pick<FreezePeriod, 'freeze_start' | 'freeze_end' | 'cron_timezone'>,
  at: Date,
): boolean {
  // What begins in this very minute has begun.
  const from = new Date(at.getTime() - 60_000);
  const end = nextRunOf({ cron: freeze_end, cron_timezone }, at);
  const start = nextRunOf({ cron: freeze_start, cron_timezone }, at);
  const begins = nextRunOf({ cron: freeze_start, cron_timezone }, from);
  if (end === null || start === null) return false;
  return end < start || (begins !== null && begins <= at);
}
