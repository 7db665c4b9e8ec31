/** Stopping jobs: at once where nothing runs or the runner cannot wait, gracefully where it can. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import { jobsWithChildren } from '../downstream/sources.queries.ts';
import { cancelableStatuses } from '../scheduling/job-states.ts';
import { cancelDownstreamTask, processPipeline } from '../scheduling/process.ts';
import { cancelLocked, endOne, type FinishDependencies } from './finish.ts';
import { type CancelableJob, lockJobsInStatuses, moveJob, startCanceling } from './jobs.queries.ts';

const endsGracefully = ({ status, cancel_gracefully }: CancelableJob): boolean =>
  status === 'running' && cancel_gracefully;

/** Cancels one job of a locked pipeline; `force` does not let after_script run. */
export async function cancelOne(
  deps: FinishDependencies,
  tx: Db,
  job: Job,
  by: number | null,
  force: boolean,
): Promise<void> {
  if (endsGracefully(job) && !force) {
    await moveJob(tx, job.id, 'running', 'canceling', { canceled_by_id: by });
    await deps.announce(tx, `job:${job.id}`);
    return;
  }
  await endOne(deps, tx, job, { event: 'cancel', actorId: by });
  if (job.kind === 'bridge') await deps.enqueue(tx, cancelDownstreamTask, { job_id: job.id });
}

/** Cancels the jobs of a locked pipeline that have not ended, all or some. */
export async function cancelJobs(
  deps: FinishDependencies,
  tx: Db,
  pipeline: Pipeline,
  by: number | null,
  only: (job: CancelableJob) => boolean = () => true,
): Promise<void> {
  // A runner may just have taken some: those are canceled as the running jobs that they are.
  const jobs = (await lockJobsInStatuses(tx, pipeline.id, [...cancelableStatuses])).filter(only);
  const graceful = jobs.filter(endsGracefully);
  await startCanceling(
    tx,
    graceful.map(({ id }) => id),
    by,
  );
  for (const { id } of graceful) await deps.announce(tx, `job:${id}`);
  const ending = jobs.filter((job) => !endsGracefully(job));
  await cancelLocked(deps, tx, ending, by);
  for (const { id, kind } of ending)
    if (kind === 'bridge') await deps.enqueue(tx, cancelDownstreamTask, { job_id: id });
  // Also of trigger jobs that have ended: nothing waits for their children any more.
  for (const id of await jobsWithChildren(tx, pipeline.id))
    await deps.enqueue(tx, cancelDownstreamTask, { job_id: id });
  await processPipeline(deps, tx, pipeline.id, pipeline);
}
