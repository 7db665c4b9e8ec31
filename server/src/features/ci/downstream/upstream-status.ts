/** Jobs that end as the latest pipeline of another project does. */
import { expandVariables, type Variable } from '@millrace/ci-config';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import type { Ending } from '../jobs/finish.ts';
import { findJobById } from '../jobs/jobs.queries.ts';
import { findPipelineById } from '../pipelines/pipelines.queries.ts';
import { completedStatuses } from '../scheduling/job-states.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { followersOf, followUpstream, latestOfBranch } from './sources.queries.ts';

/** Jobs of one pass over those that follow a pipeline. */
const batch = 100;

type Finish = (job: Job, ending: Ending) => Promise<unknown>;

export function upstreamStatus({ db, parents }: Pick<CiDependencies, 'db' | 'parents'>, finish: Finish) {
  const drop = (job: Job, failureReason: string) => finish(job, { event: 'drop', failureReason });

  /** Ends a job as its upstream pipeline has ended; one that has not is waited for. */
  async function mirror(id: number): Promise<void> {
    const job = await findJobById(db, id);
    if (job?.status !== 'running' || job.upstream_pipeline_id === null) return;
    const upstream = await findPipelineById(db, job.upstream_pipeline_id);
    if (!upstream || !completedStatuses.has(upstream.status)) return;
    if (upstream.status === 'canceled') await finish(job, { event: 'cancel' });
    else if (upstream.status === 'failed') await drop(job, 'unknown_failure');
    else await finish(job, { event: 'succeed' });
  }

  /** Finds the pipeline that a job is to follow, with the rights of the job's user. */
  async function follow(job: Job, caller: Caller, path: string, scope: readonly Variable[]): Promise<void> {
    const subject = await parents.project(expandVariables(path, scope).replace(/^\/+/, ''), caller);
    if (!subject || !canOnProject(caller, 'read_project', subject))
      return void (await drop(job, 'upstream_bridge_project_not_found'));
    if (!canOnProject(caller, 'read_pipeline', subject))
      return void (await drop(job, 'insufficient_upstream_permissions'));
    const latest = await latestOfBranch(db, subject.project.id, subject.project.default_branch ?? '');
    const followed =
      latest &&
      (await transaction(db, async (tx) => {
        // Under its lock: it either ends later and finds the job, or has ended when it is read below.
        const upstream = await lockPipeline(tx, latest.id);
        if (upstream) await followUpstream(tx, job.id, upstream.id);
        return upstream;
      }));
    if (!followed) return void (await drop(job, 'upstream_bridge_project_not_found'));
    await mirror(job.id);
  }

  /** Ends the jobs that follow a pipeline which has ended. */
  async function mirrorAll(pipelineId: number): Promise<void> {
    for (;;) {
      const ids = await followersOf(db, pipelineId, batch);
      for (const id of ids) await mirror(id);
      const left = await followersOf(db, pipelineId, 1);
      // It runs again: the jobs wait for its next end.
      if (ids.length < batch || left[0] === ids[0]) return;
    }
  }

  return { follow, mirrorAll };
}
