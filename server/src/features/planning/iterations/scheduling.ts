/** Automatic scheduling: a cadence has its current iteration and as many in advance as it wants, and issues roll over. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Iteration, IterationCadence } from '../../../kernel/db/rows.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { recordIteration } from '../../collaboration/index.ts';
import { ofProject } from '../../collaboration/notes/index.ts';
import { tellIssue } from '../issues/changes.ts';
import { cadencesToSchedule, lockCadence } from './cadences.queries.ts';
import {
  insertIteration,
  iterationsFrom,
  moveOpenIssues,
  numberIterations,
  updateIteration,
} from './iterations.queries.ts';

const batch = 100;
const millisecondsPerDay = 86_400_000;

/** Of UTC, as the database's. */
export const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const later = (day: string, days: number): string => dayOf(new Date(Date.parse(day) + days * millisecondsPerDay));

/** First and last day of an iteration. */
export interface Days {
  readonly start_date: string;
  readonly due_date: string;
}

/** One after the other from a day on, without those that were over before today. */
export function* daysFrom(first: string, weeks: number, today: string): Generator<Days, never> {
  const length = weeks * 7;
  const passed = Math.floor((Date.parse(today) - Date.parse(first)) / millisecondsPerDay / length);
  for (let start = later(first, Math.max(0, passed) * length); ; start = later(start, length))
    yield { start_date: start, due_date: later(start, length - 1) };
}

/**
 * Makes what a cadence lacks. With `again` those that have not begun move to where they would be made now. The cadence is
 * locked.
 */
export async function schedule(tx: Db, cadence: IterationCadence, today: string, again = false): Promise<void> {
  const { active, automatic, start_date, duration_in_weeks: weeks, iterations_in_advance: advance } = cadence;
  if (!active || !automatic || start_date === null || weeks === null || advance === null) return;
  const rows = await iterationsFrom(tx, cadence.id, today);
  const begun = rows.findLast((row) => row.start_date <= today);
  const upcoming = rows.filter((row) => row.start_date > today);
  const last = again ? begun : (upcoming.at(-1) ?? begun);
  const days = daysFrom(last ? later(last.due_date, 1) : start_date, weeks, today);
  const waiting = again ? upcoming : [];
  let ahead = again ? 0 : upcoming.length;
  for (;;) {
    const next = days.next().value;
    const isUpcoming = next.start_date > today;
    if (isUpcoming && ahead >= advance && waiting.length === 0) break;
    const moved = waiting.shift();
    if (moved) await updateIteration(tx, moved.id, next);
    else await insertIteration(tx, cadence, next);
    if (isUpcoming) ahead++;
  }
  await numberIterations(tx, cadence.id);
}

/** Open issues of iterations that are over are planned for the current one. */
async function rollOver(tx: Db, cadence: IterationCadence, today: string): Promise<void> {
  if (!cadence.roll_over) return;
  const isCurrent = (row: Iteration) => row.start_date <= today && row.due_date >= today;
  const current = (await iterationsFrom(tx, cadence.id, today)).find(isCurrent);
  if (!current) return;
  for (const { previous_id: previous, ...issue } of await moveOpenIssues(tx, cadence.id, current.id, today)) {
    await recordIteration(tx, ofProject('issue', issue), null, { before: previous, after: current.id });
    await tellIssue(tx, 'updated', issue, null, { iteration_id: { previous, current: current.id } });
  }
}

/** Looks after all cadences. */
export function schedulingTask(db: Db): { readonly tasks: readonly Task[]; readonly cron: readonly CronItem[] } {
  const task = defineTask('iterations.schedule', Type.Object({}), async (_payload, { signal }) => {
    const today = dayOf(new Date());
    for (let after = 0; ; ) {
      const ids = await cadencesToSchedule(db, today, after, batch);
      for (const id of ids) {
        signal.throwIfAborted();
        await transaction(db, async (tx) => {
          const cadence = await lockCadence(tx, id);
          if (!cadence?.active || !cadence.automatic) return;
          await schedule(tx, cadence, today);
          await rollOver(tx, cadence, today);
        });
        after = id;
      }
      if (ids.length < batch) return;
    }
  });
  // Soon after the day begins, and again where the process was not there at that time.
  return { tasks: [task], cron: [{ task: task.name, schedule: '3 * * * *' }] };
}
