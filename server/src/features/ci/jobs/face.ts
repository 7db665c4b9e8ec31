/** What later domains may do with jobs: show them, start them in somebody's name, and end those that may not run. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { playableStatuses, retryableStatuses } from '../scheduling/job-states.ts';
import { lockPipeline, notifyPending } from '../scheduling/process.queries.ts';
import { processPipeline } from '../scheduling/process.ts';
import { finishJob } from './finish.ts';
import type { JobJson } from './jobs.entity.ts';
import { moveJob } from './jobs.queries.ts';
import type { JobsService } from './jobs.service.ts';
import { presentJobs } from './serialize.ts';
import type { WriteAccess } from './write-access.ts';

export interface JobsFace {
  /** By id; jobs of other projects are not shown. */
  present(subject: ProjectSubject, jobs: readonly Job[]): Promise<ReadonlyMap<number, JobJson>>;
  /** Whether the caller may change the job: it runs with their rights. */
  requireWrite: WriteAccess['requireWrite'];
  /** Whether it can be started, for the first time or again. */
  startable(job: Job): boolean;
  /** Starts a manual job, and one that has ended once more. Throws where that is not allowed. */
  start(subject: ProjectSubject, caller: Caller, job: Job): Promise<void>;
  /** Lets a job that was blocked wait for a runner. */
  release(job: Pick<Job, 'id' | 'pipeline_id' | 'name' | 'user_id'>): Promise<void>;
  /** Ends a job that has not begun. */
  fail(job: Pick<Job, 'id' | 'pipeline_id'>, failureReason: string): Promise<void>;
}

export function jobsFace(deps: CiDependencies, jobs: JobsService, access: WriteAccess): JobsFace {
  const { db } = deps;
  return {
    async present(subject, rows) {
      const shown = await presentJobs(
        deps,
        subject,
        rows.filter((row) => row.project_id === subject.project.id),
      );
      return new Map(shown.map((json) => [json.id, json]));
    },
    requireWrite: access.requireWrite,
    startable: (job) => !job.retried && (playableStatuses.has(job.status) || retryableStatuses.has(job.status)),
    async start(subject, caller, job) {
      await access.requireWrite(subject, caller, job);
      const again = !playableStatuses.has(job.status);
      await deps.deployments.requireStart(subject, caller, job, again);
      const nothing = { variables: [], inputs: {} };
      await (again ? jobs.retry(job, caller, nothing) : jobs.play(job, caller, nothing));
    },
    release: (job) =>
      transaction(db, async (tx) => {
        const pipeline = await lockPipeline(tx, job.pipeline_id);
        if (!pipeline || !(await moveJob(tx, job.id, 'manual', 'pending'))) return;
        await notifyPending(tx);
        await deps.announce(tx, `job:${job.id}`);
        await jobs.resetDependents(tx, pipeline.id, new Set([job.name]), job.user_id);
        await processPipeline(deps, tx, pipeline.id, pipeline);
      }),
    fail: (job, failureReason) =>
      transaction(db, async (tx) => {
        await finishJob(deps, tx, { jobId: job.id, pipelineId: job.pipeline_id }, { event: 'drop', failureReason });
      }),
  };
}
