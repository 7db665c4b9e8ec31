/** When schedules run: five fields, or a nickname, in a time zone of either naming system. Pure. */
import { nextRun, ScheduleError } from '../../../kernel/queue/index.ts';
import { timeZone } from './time-zones.ts';

const nicknames: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@noon': '0 12 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

export interface Timing {
  readonly cron: string;
  readonly cron_timezone: string;
}

/** The first time after `from`; null when the timing is not valid or its day never comes. */
export function nextRunOf({ cron, cron_timezone }: Timing, from: Date): Date | null {
  const zone = timeZone(cron_timezone);
  if (zone === null) return null;
  try {
    return nextRun(nicknames[cron.trim().toLowerCase()] ?? cron, zone, from);
  } catch (error) {
    if (error instanceof ScheduleError) return null;
    throw error;
  }
}

/** Reasons by field why nothing can run by it, in the ecosystem's words; empty when it is valid. */
export function timingProblems({ cron, cron_timezone }: Timing): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  if (timeZone(cron_timezone) === null) problems.cron_timezone = [' is invalid syntax'];
  if (nextRunOf({ cron, cron_timezone: 'UTC' }, new Date()) === null)
    problems.cron = cron.trim() === '' ? ["can't be blank", ' is invalid syntax'] : [' is invalid syntax'];
  return problems;
}
