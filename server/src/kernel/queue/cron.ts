/** Arithmetic of schedules that people write: five fields in a time zone. */
import { Cron } from 'croner';

/** The schedule is not five valid fields, or the time zone is unknown. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
}

function parse(schedule: string, timeZone: string): Cron {
  if (schedule.trim().split(/\s+/).length !== 5) throw new ScheduleError('a schedule has five fields');
  try {
    return new Cron(schedule, { timezone: timeZone, mode: '5-part', paused: true });
  } catch (error) {
    throw new ScheduleError((error as Error).message);
  }
}

/** The first time after `from` that matches; null when there is none. Throws ScheduleError for what is not a schedule. */
export function nextRun(schedule: string, timeZone: string, from: Date): Date | null {
  const cron = parse(schedule, timeZone);
  try {
    return cron.nextRun(from);
  } catch (error) {
    // The time zone is looked at when it is first used.
    throw new ScheduleError((error as Error).message);
  }
}
