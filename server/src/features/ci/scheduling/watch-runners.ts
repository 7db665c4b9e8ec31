/** Ends jobs whose runner died: it is not heard of any more. Looks every few seconds, each minute's looks added by the first. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import { addJob, type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { CiDependencies } from '../deps.ts';
import { finishJob } from '../jobs/finish.ts';
import { takeBackJob } from '../runner-protocol/claim.queries.ts';
import { executingJobs, keepWatch } from './heartbeats.queries.ts';
import { lookEvery, runnerState } from './heartbeats.ts';
import { executingStatuses } from './job-states.ts';
import { lockPipeline, notifyPending } from './process.queries.ts';
import { processPipeline } from './process.ts';
import type { JobPlace } from './sweep.queries.ts';

const cronSeconds = 60;

export function runnerWatchTasks(deps: CiDependencies): { tasks: Task[]; cron: CronItem[] } {
  const { db } = deps;
  /** While this process was starting, runners may have been turned away. */
  let first = true;

  /** Lets another runner have a job that the lost one never began. */
  async function returned(place: JobPlace): Promise<boolean> {
    const back = await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, place.pipelineId);
      if (!pipeline || !(await takeBackJob(tx, place.jobId))) return false;
      await notifyPending(tx);
      await deps.announce(tx, `job:${place.jobId}`);
      await processPipeline(deps, tx, pipeline.id, pipeline);
      return true;
    });
    if (back) deps.log.warn({ job: place.jobId }, 'a job waits again because its runner never spoke of it');
    return back;
  }

  async function look(signal: AbortSignal): Promise<void> {
    // During maintenance runners are turned away: who cannot call is not lost, and gets the usual time when it is over.
    const { maintenance_mode: turnedAway } = await deps.settings.read();
    const { watch, now } = await transaction(db, async (tx) => keepWatch(tx, first || turnedAway));
    first = false;
    if (turnedAway) return;
    for (const { contactedAt, ...place } of await executingJobs(db)) {
      signal.throwIfAborted();
      if (runnerState(contactedAt, watch, now) !== 'lost') return;
      if (await returned(place)) continue;
      const ended = await transaction(db, async (tx) =>
        finishJob(
          deps,
          tx,
          place,
          { event: 'drop', failureReason: 'stuck_or_timeout_failure', noticed: true },
          // Heard of meanwhile: still there.
          (job) => executingStatuses.has(job.status) && job.contacted_at?.getTime() === contactedAt.getTime(),
        ),
      );
      if (ended) deps.log.warn({ job: place.jobId, contactedAt }, 'a job was failed because its runner is lost');
    }
  }

  const lookTask = defineTask('ci.look_for_runners', Type.Object({}), async (_payload, { signal }) => look(signal), {
    maxAttempts: 1,
  });
  const watchTask = defineTask(
    'ci.watch_runners',
    Type.Object({}),
    async (_payload, { signal }) => {
      for (let after = lookEvery; after < cronSeconds; after += lookEvery)
        await addJob(
          db,
          lookTask,
          {},
          {
            runAt: new Date(Date.now() + after * 1000),
            jobKey: `ci.look_for_runners:${after}`,
          },
        );
      await look(signal);
    },
    { maxAttempts: 1 },
  );
  return { tasks: [lookTask, watchTask], cron: [{ task: 'ci.watch_runners', schedule: '* * * * *' }] };
}
