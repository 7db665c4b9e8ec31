/** Schedules run by the clock: what is due is handed to the queue in batches, one job each, which creates the pipeline. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import { addJobs, type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { CiDependencies } from '../deps.ts';
import { deactivateSchedule, dueSchedules, findScheduleById, ranSince, setNextRuns } from './schedules.queries.ts';
import type { SchedulesService } from './schedules.service.ts';
import { nextRunOf } from './timing.ts';

/** Schedules that are moved on and queued with three statements. */
const batch = 1000;

export function scheduleTasks(deps: CiDependencies, schedules: SchedulesService): { tasks: Task[]; cron: CronItem[] } {
  const { db, log } = deps;

  /** One run. It is tried again after a fault of ours, but a pipeline that was created meanwhile is enough. */
  async function runOne(id: number, queuedAt: Date, attempt: number): Promise<void> {
    const schedule = await findScheduleById(db, id);
    if (!schedule?.active) return;
    if (attempt > 1 && (await ranSince(db, id, queuedAt))) return;
    const { owner_id: owner, project_id: project } = schedule;
    const acting = owner === null ? null : await deps.actingAs(owner, project);
    const outcome = acting
      ? await schedules.run(acting.subject, acting.caller, schedule)
      : ({ kind: 'denied' } as const);
    if (outcome.kind === 'created') return;
    if (outcome.kind === 'refused') {
      log.info({ schedule: id, reasons: outcome.reasons }, 'a schedule created no pipeline');
      return;
    }
    // A project that is archived comes back as it was; who lost access does not get it back by waiting.
    const { archived, marked_for_deletion_on } = acting?.subject.project ?? {};
    if (archived || (marked_for_deletion_on ?? null) !== null) return;
    await transaction(db, async (tx) => deactivateSchedule(tx, id, owner));
    log.warn({ schedule: id, owner }, 'a schedule was deactivated: its owner may not run pipelines there');
  }

  const runTask = defineTask(
    'ci.run_schedule',
    Type.Object({ schedule_id: Type.Integer(), queued_at: Type.String() }),
    async ({ schedule_id: id, queued_at: at }, { attempt }) => runOne(id, new Date(at), attempt),
    { maxAttempts: 3 },
  );

  /** Hands a batch of what is due to the queue; how many there were. What was missed during a stop runs once. */
  const queueDue = () =>
    transaction(db, async (tx) => {
      const now = new Date();
      const due = await dueSchedules(tx, batch);
      await setNextRuns(
        tx,
        due.map((schedule) => ({ id: schedule.id, at: nextRunOf(schedule, now) })),
      );
      await addJobs(
        tx,
        runTask,
        due.map(({ id, next_run_at: at }) => ({
          payload: { schedule_id: id, queued_at: now.toISOString() },
          jobKey: `${runTask.name}:${id}:${at.getTime()}`,
        })),
      );
      return due.length;
    });

  const due = defineTask(
    'ci.run_schedules',
    Type.Object({}),
    async (_payload, { signal }) => {
      // Nothing of a repository changes meanwhile; what was due runs once afterwards.
      if ((await deps.settings.read()).maintenance_mode) return;
      while (!signal.aborted && (await queueDue()) === batch);
    },
    { maxAttempts: 1 },
  );
  return { tasks: [runTask, due], cron: [{ task: due.name, schedule: '* * * * *' }] };
}
