/** Stopping jobs: at once where nothing runs or the runner cannot wait, gracefully where it can. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import { jobsWithChildren } from '../downstream/sources.queries.ts';
import { cancelableStatuses } from '../scheduling/job-states.ts';
import { cancelDownstreamTask, processPipeline } from '../scheduling/process.ts';
import { endOne, type FinishDependencies } from './finish.ts';
import { jobsInStatuses, lockJob, moveJob } from './jobs.queries.ts';

/** Cancels one job of a locked pipeline; `force` does not let after_script run. */
export async function cancelOne(
  deps: FinishDependencies,
  tx: Db,
  job: Job,
  by: number | null,
  force: boolean,
): Promise<void> {
  if (job.status === 'running' && job.cancel_gracefully && !force) {
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
  only: (job: Job) => boolean = () => true,
): Promise<void> {
  for (const job of await jobsInStatuses(tx, pipeline.id, [...cancelableStatuses])) {
    // A runner may just have taken it: then it is canceled as the running job that it is.
    const current = only(job) ? await lockJob(tx, job.id) : undefined;
    if (current && cancelableStatuses.has(current.status)) await cancelOne(deps, tx, current, by, false);
  }
  // Also of trigger jobs that have ended: nothing waits for their children any more.
  for (const id of await jobsWithChildren(tx, pipeline.id))
    await deps.enqueue(tx, cancelDownstreamTask, { job_id: id });
  await processPipeline(deps, tx, pipeline.id, pipeline);
}
