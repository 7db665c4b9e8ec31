/** Schedules run by the clock: what is due is handed to the queue in batches, whose jobs create pipelines that have much in common. */
import Type from 'typebox';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PipelineSchedule } from '../../../kernel/db/rows.ts';
import { addJobs, type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { CiDependencies } from '../deps.ts';
import { activeSchedules, deactivateSchedule, dueSchedules, ranSince, setNextRuns } from './schedules.queries.ts';
import type { SchedulesService } from './schedules.service.ts';
import { nextRunOf } from './timing.ts';

/** Schedules that are moved on and queued with three statements. */
const batch = 1000;
/** Schedules of one project and owner that run together. */
const mostTogether = 50;

/** Of one project and owner, a few at a time: what they may, and what they run on, is found out once. */
function runsOf<S extends Pick<PipelineSchedule, 'id' | 'project_id' | 'owner_id'>>(schedules: readonly S[]): S[][] {
  const alike = Map.groupBy(schedules, ({ project_id, owner_id }) => `${project_id} ${owner_id}`);
  return [...alike.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / mostTogether) }, (_item, at) =>
      all.slice(at * mostTogether, (at + 1) * mostTogether),
    ),
  );
}

export function scheduleTasks(deps: CiDependencies, schedules: SchedulesService): { tasks: Task[]; cron: CronItem[] } {
  const { db, log } = deps;

  /** Runs schedules of one project and owner; those whose owner may not run them are switched off. */
  async function runAlike(alike: readonly [PipelineSchedule, ...PipelineSchedule[]]): Promise<void> {
    const { owner_id: owner, project_id: project } = alike[0];
    const acting = owner === null ? null : await deps.actingAs(owner, project);
    const outcomes = acting
      ? await schedules.run(acting.subject, acting.caller, alike)
      : alike.map(() => ({ kind: 'denied' }) as const);
    // A project that is archived comes back as it was; who lost access does not get it back by waiting.
    const { archived, marked_for_deletion_on } = acting?.subject.project ?? {};
    const resting = archived || (marked_for_deletion_on ?? null) !== null;
    for (const [at, { id }] of alike.entries()) {
      const outcome = outcomes[at];
      if (outcome?.kind === 'refused')
        log.info({ schedule: id, reasons: outcome.reasons }, 'a schedule created no pipeline');
      if (outcome?.kind !== 'denied' || resting) continue;
      await transaction(db, async (tx) => deactivateSchedule(tx, id, owner));
      log.warn({ schedule: id, owner }, 'a schedule was deactivated: its owner may not run pipelines there');
    }
  }

  /** Runs. They are tried again after a fault of ours, each by itself; but a pipeline that was created meanwhile is enough. */
  async function runAll(ids: readonly number[], queuedAt: Date, attempt: number, signal: AbortSignal): Promise<void> {
    const active = await activeSchedules(db, ids);
    const done = attempt > 1 ? await ranSince(db, ids, queuedAt) : new Set<number>();
    // Somebody may have taken one of them over since they were queued.
    for (const alike of runsOf(active.filter(({ id }) => !done.has(id)))) {
      signal.throwIfAborted();
      const [first, ...others] = alike;
      if (!first) continue;
      try {
        await runAlike([first, ...others]);
      } catch (error) {
        if (ids.length === 1 || signal.aborted) throw error;
        log.warn({ err: error, schedules: alike.length }, 'schedules failed to run together');
        const failed = alike.map(({ id }) => id);
        await transaction(db, async (tx) => {
          const ran = await ranSince(tx, failed, queuedAt);
          await queueRuns(
            tx,
            failed.filter((id) => !ran.has(id)).map((id) => [id]),
            queuedAt,
          );
        });
      }
    }
  }

  const runTask = defineTask(
    'ci.run_schedules_together',
    Type.Object({ schedule_ids: Type.Array(Type.Integer()), queued_at: Type.String() }),
    async ({ schedule_ids: ids, queued_at: at }, { attempt, signal }) => runAll(ids, new Date(at), attempt, signal),
    { maxAttempts: 3, timeout: 10 * 60_000 },
  );

  const queueRuns = (tx: Db, runs: readonly number[][], queuedAt: Date) =>
    addJobs(
      tx,
      runTask,
      runs.map((ids) => ({
        payload: { schedule_ids: ids, queued_at: queuedAt.toISOString() },
        jobKey: `${runTask.name}:${ids[0]}+${ids.length - 1}:${queuedAt.getTime()}`,
      })),
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
      await queueRuns(
        tx,
        runsOf(due).map((alike) => alike.map(({ id }) => id)),
        now,
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
