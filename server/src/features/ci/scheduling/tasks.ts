/** Background work of CI: delayed jobs, and the sweeps for what was left behind. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { type CronItem, defineTask, type Task } from '../../../kernel/queue/index.ts';
import { deleteExpired } from '../artifacts/artifacts.queries.ts';
import { deleteUnusedCaches } from '../caches/caches.queries.ts';
import type { CiDependencies } from '../deps.ts';
import { finishJob } from '../jobs/finish.ts';
import { findJobById, lockJob, moveJob } from '../jobs/jobs.queries.ts';
import { deleteExpiredRemoteFiles } from '../pipelines/remote-files.queries.ts';
import { removePipeline } from '../pipelines/removal.ts';
import { deleteOldTerminals } from '../terminals/terminals.queries.ts';
import { executingStatuses } from './job-states.ts';
import { endedStatuses } from './pipeline-states.ts';
import { lockPipeline, notifyPending } from './process.queries.ts';
import { playScheduledTask, processPipeline } from './process.ts';
import {
  doomedObjects,
  dueJobs,
  forgetDeletions,
  neglectedJobs,
  outlivedPipelines,
  type Patience,
  stalePipelines,
} from './sweep.queries.ts';
import { runnerWatchTasks } from './watch-runners.ts';

/** Seconds: a runner ends its job by itself at the limit; a day without any runner is as good as never. */
const patience: Patience = { overdue: 5 * 60, unclaimed: 24 * 60 * 60 };

const batch = 200;
/** Days without a job that used it, after which a cache is deleted. */
const unusedCacheDays = 30;
/** Batches of old pipelines that go at once; the rest goes the next time. */
const mostPasses = 10;
const JobPayload = Type.Object({ job_id: Type.Integer() });
const Nothing = Type.Object({});

/** `look`: looks for waiting jobs, in case a notification was lost. */
export function ciTasks(deps: CiDependencies, look: () => void): { tasks: Task[]; cron: CronItem[] } {
  const { db } = deps;

  /** Starts a delayed job whose time has come. */
  async function playScheduled(id: number): Promise<void> {
    const known = await findJobById(db, id);
    if (!known) return;
    await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, known.pipeline_id);
      const job = pipeline && (await lockJob(tx, id));
      if (job?.status !== 'scheduled' || (job.scheduled_at?.getTime() ?? 0) > Date.now() + 1000) return;
      await moveJob(tx, id, 'scheduled', 'pending');
      await notifyPending(tx);
      await deps.announce(tx, `job:${id}`);
      await processPipeline(deps, tx, job.pipeline_id, pipeline);
    });
  }

  async function sweepJobs(signal: AbortSignal): Promise<void> {
    // Runners are turned away: who cannot call gets the usual time when it is over.
    if ((await deps.settings.read()).maintenance_mode) return;
    const reasons = {
      overdue: 'job_execution_timeout',
      unclaimed: 'stuck_or_timeout_failure',
      orphaned: 'upstream_bridge_project_not_found',
    } as const;
    for (const condition of ['overdue', 'unclaimed', 'orphaned'] as const) {
      const expected = (job: Job) =>
        condition === 'unclaimed' ? job.status === 'pending' : executingStatuses.has(job.status);
      for (const place of await neglectedJobs(db, condition, patience)) {
        signal.throwIfAborted();
        const ended = await transaction(db, async (tx) =>
          finishJob(deps, tx, place, { event: 'drop', failureReason: reasons[condition], noticed: true }, expected),
        );
        if (ended) deps.log.warn({ job: place.jobId, condition }, 'a job was ended because nobody looks after it');
      }
    }
    await deleteOldTerminals(db);
    for (const { jobId } of await dueJobs(db)) await playScheduled(jobId);
    for (const id of await stalePipelines(db)) await transaction(db, async (tx) => processPipeline(deps, tx, id));
    look();
  }

  async function sweepArtifacts(signal: AbortSignal): Promise<void> {
    const settings = await deps.settings.read();
    let deleted = batch;
    while (deleted === batch && !signal.aborted)
      deleted = await transaction(db, async (tx) => deleteExpired(tx, settings.keep_latest_artifact, batch));
    deleted = batch;
    while (deleted === batch && !signal.aborted) deleted = await deleteUnusedCaches(db, unusedCacheDays, batch);
    deleted = batch;
    while (deleted === batch && !signal.aborted) deleted = await deleteExpiredRemoteFiles(db, batch);
    for (;;) {
      const keys = signal.aborted ? [] : await doomedObjects(db, batch);
      for (const key of keys) await deps.objects.remove(key);
      await forgetDeletions(db, keys);
      if (keys.length < batch) return;
    }
  }

  /** What would start, run or wait for its time stays, however old it is; so does what starts again meanwhile. */
  async function sweepPipelines(signal: AbortSignal): Promise<void> {
    for (let pass = 0; pass < mostPasses && !signal.aborted; pass++) {
      // Nothing of a repository changes meanwhile.
      if ((await deps.settings.read()).maintenance_mode) return;
      const old = await outlivedPipelines(db, batch);
      for (const { pipelineId, project } of old) {
        if (signal.aborted) return;
        await removePipeline(deps, project, pipelineId, async (_tx, { status }) => endedStatuses.has(status));
      }
      if (old.length < batch) return;
    }
  }

  const runnerWatch = runnerWatchTasks(deps);
  const tasks = [
    ...runnerWatch.tasks,
    defineTask(playScheduledTask, JobPayload, async ({ job_id: id }) => playScheduled(id)),
    defineTask('ci.sweep_jobs', Nothing, async (_payload, { signal }) => sweepJobs(signal), { maxAttempts: 1 }),
    defineTask('ci.sweep_artifacts', Nothing, async (_payload, { signal }) => sweepArtifacts(signal), {
      maxAttempts: 1,
      timeout: 5 * 60_000,
    }),
    defineTask('ci.sweep_pipelines', Nothing, async (_payload, { signal }) => sweepPipelines(signal), {
      maxAttempts: 1,
      timeout: 5 * 60_000,
    }),
  ];
  return {
    tasks,
    cron: [
      ...runnerWatch.cron,
      { task: 'ci.sweep_jobs', schedule: '* * * * *' },
      { task: 'ci.sweep_artifacts', schedule: '* * * * *' },
      { task: 'ci.sweep_pipelines', schedule: '*/10 * * * *' },
    ],
  };
}
