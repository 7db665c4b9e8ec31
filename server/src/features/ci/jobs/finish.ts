/** How jobs end: status, reason, fact, another attempt where the plan asks for it, and what follows in the pipeline. */

import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { jobFinished, recordFact } from '../../../kernel/events/index.ts';
import type { CiDependencies } from '../deps.ts';
import { cancelableStatuses, type JobEvent, type JobStatus, nextJobStatus } from '../scheduling/job-states.ts';
import { lockPipeline, notifyPending } from '../scheduling/process.queries.ts';
import { assignResourceTask, processPipeline } from '../scheduling/process.ts';
import type { LogEnd } from '../traces/traces.queries.ts';
import {
  type CancelableJob,
  cancelLockedJobs,
  cloneJob,
  endJob,
  isRetried,
  lockJob,
  lockJobsInStatuses,
  moveJob,
} from './jobs.queries.ts';
import { type JobPlan, noticedAs, retriesAfter } from './plan.ts';

/** Task that archives a long log and reads the coverage from it. */
export const finishJobTask = 'ci.finish_job';
/** Bytes of a log from which on it is archived by the task; shorter ones are by a consumer of the fact. */
export const longLogBytes = 1024 * 1024;

export type FinishDependencies = Pick<CiDependencies, 'announce' | 'enqueue' | 'deployments'>;

export interface Ending {
  readonly event: Extract<JobEvent, 'succeed' | 'drop' | 'cancel'>;
  readonly failureReason?: string;
  /** The server found out, no runner told of it. */
  readonly noticed?: boolean;
  readonly exitCode?: number | null;
  /** Who asked for it. */
  readonly actorId?: number | null;
  /** What its runner sent with it. */
  readonly log?: LogEnd;
}

/** Tells of a job that has just ended, and leaves to the queue what is to be done then. */
async function tellEnd(deps: FinishDependencies, tx: Db, job: CancelableJob, reports: boolean): Promise<void> {
  // What came whole with the end is where it stays.
  const logged = job.trace_size > 0 && job.trace_object_key === null;
  await recordFact(
    tx,
    jobFinished,
    { job_id: job.id, pipeline_id: job.pipeline_id, status: job.status, reports, logged },
    { project_id: job.project_id, actor_id: job.user_id },
  );
  if (logged && job.trace_size > longLogBytes) await deps.enqueue(tx, finishJobTask, { job_id: job.id });
  // The next one may have the resource.
  if (job.resource_group !== null) await deps.enqueue(tx, assignResourceTask, { job_id: job.id });
  await deps.announce(tx, `job:${job.id}`);
}

/** Cancels jobs that have not ended, whose locks the caller holds, without processing their pipeline. */
export async function cancelLocked(
  deps: FinishDependencies,
  tx: Db,
  jobs: readonly CancelableJob[],
  by?: number | null,
): Promise<void> {
  if (jobs.length === 0) return;
  const ids = jobs.map(({ id }) => id);
  const withReports = await cancelLockedJobs(tx, ids, by);
  for (const job of jobs) await tellEnd(deps, tx, { ...job, status: 'canceled' }, withReports.has(job.id));
}

/**
 * Ends one job of a locked pipeline without processing the pipeline; null when the event is not for its status. The new
 * attempt, if there is one, already waits for a runner.
 */
export async function endOne(deps: FinishDependencies, tx: Db, job: Job, ending: Ending): Promise<Job | null> {
  const from = job.status as JobStatus;
  const status = nextJobStatus(from, ending.event);
  if (status === null) return null;
  const plan = job.plan as unknown as JobPlan;
  const failed = status === 'failed';
  const exitCode = ending.exitCode ?? null;
  const byExitCode = plan.allow_failure_exit_codes;
  const reason = failed ? (ending.failureReason ?? 'unknown_failure') : null;
  const end = {
    status,
    failureReason: reason,
    exitCode,
    allowFailure: failed && byExitCode ? exitCode !== null && byExitCode.includes(exitCode) : job.allow_failure,
    ...(status === 'canceled' && ending.actorId !== undefined ? { canceledById: ending.actorId } : {}),
  };
  const found = await endJob(tx, job.id, from, end, ending.log);
  if (!found) return null;
  const { reports, ...ended } = found;
  await tellEnd(deps, tx, ended, reports);
  if (ending.log) await deps.announce(tx, `job:${job.id}:trace`);
  const names = reason === null ? [] : ending.noticed ? noticedAs(reason, from) : [reason];
  if (reason !== null && retriesAfter(plan, job.attempt, names, exitCode)) {
    const again = await cloneJob(tx, ended, { userId: job.user_id, attempt: job.attempt + 1 });
    await moveJob(tx, again.id, 'created', 'pending');
    await notifyPending(tx);
  }
  return ended;
}

/** The others of a pipeline that gives up with its first failure. */
async function giveUp(deps: FinishDependencies, tx: Db, pipelineId: number): Promise<void> {
  await cancelLocked(deps, tx, await lockJobsInStatuses(tx, pipelineId, [...cancelableStatuses]));
}

/**
 * Ends one job under the locks and processes its pipeline; null when it had ended already or is gone. `known` is its row as
 * it was read while it was running: nothing of it changes until it ends but its status.
 */
export async function finishJob(
  deps: FinishDependencies,
  tx: Db,
  place: { readonly jobId: number; readonly pipelineId: number; readonly known?: Job },
  ending: Ending,
  only: (job: Job) => boolean = () => true,
): Promise<Job | null> {
  const pipeline = await lockPipeline(tx, place.pipelineId);
  if (!pipeline) return null;
  let ended = place.known ? await endOne(deps, tx, place.known, ending) : null;
  if (!ended) {
    const job = await lockJob(tx, place.jobId);
    if (!job || !only(job)) return null;
    ended = await endOne(deps, tx, job, ending);
  }
  if (!ended) return null;
  const stops = pipeline.auto_cancel_on_job_failure === 'all' && ended.status === 'failed' && !ended.allow_failure;
  const givesUp = stops && !(await isRetried(tx, ended.id));
  if (givesUp) await giveUp(deps, tx, pipeline.id);
  await processPipeline(deps, tx, place.pipelineId, pipeline, givesUp ? undefined : [ended.name]);
  return ended;
}
