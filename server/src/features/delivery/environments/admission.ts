/** Whether jobs may deploy: as protections allow, when that is approved, and not over a newer deployment. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment, Environment, Job } from '../../../kernel/db/rows.ts';
import { forbidden, plainError } from '../../../kernel/http/errors.ts';
import type { Admission } from '../../ci/index.ts';
import { mayDeploy } from '../protected-environments/index.ts';
import { pendingApprovals } from './approvals.ts';
import { blockedDeployments, deploymentOfJob, lastDeployment, updateDeployment } from './deployments.queries.ts';
import { environmentOfJob, forwardDeployment, userOfJob } from './environments.queries.ts';
import { deploymentMoved, register } from './records.ts';

/** Whether something newer was deployed to the environment meanwhile. */
async function isOutdated(db: Db, deployment: Deployment): Promise<boolean> {
  const last = await lastDeployment(db, deployment.environment_id);
  return last !== undefined && last.id > deployment.id && last.sha !== deployment.sha;
}

export function admission(db: Db) {
  const allowed = (handle: Db, { project_id, name, tier }: Environment, userId: number | null) =>
    mayDeploy(handle, { project_id, name, tier }, userId);

  return {
    async admit(tx: Db, job: Pick<Job, 'id'>): Promise<Admission> {
      await register(tx, { jobId: job.id });
      const found = await environmentOfJob(tx, job.id);
      if (!found) return { failure: 'environment_creation_failure' };
      const deployment = await deploymentOfJob(tx, job.id);
      if (!(await allowed(tx, found.environment, await userOfJob(tx, job.id))))
        if (deployment || found.action === 'stop')
          // Looking at an environment is no deployment, starting and stopping it is.
          return { failure: 'protected_environment_failure' };
      if (!deployment) return 'begin';
      const { only_forward } = await forwardDeployment(tx, deployment.project_id);
      if (only_forward && (await isOutdated(tx, deployment))) return { failure: 'failed_outdated_deployment_job' };
      if ((await pendingApprovals(tx, deployment)) === 0) return 'begin';
      if (deployment.status !== 'blocked') {
        const blocked = await updateDeployment(tx, deployment.id, { status: 'blocked' });
        if (blocked) await deploymentMoved(tx, blocked);
      }
      return 'block';
    },

    /** `again`: a new attempt deploys what was deployed before, which projects may allow. */
    async requireStart(_subject: ProjectSubject, caller: Caller, job: Job, again: boolean): Promise<void> {
      const found = await environmentOfJob(db, job.id);
      const deployment = await deploymentOfJob(db, job.id);
      const deploys = found && (deployment || found.action === 'stop');
      if (deploys && !(await allowed(db, found.environment, caller.user?.id ?? null))) throw forbidden();
      if (!deployment) return;
      const { only_forward, rollback } = await forwardDeployment(db, deployment.project_id);
      if (only_forward && !(again && rollback) && (await isOutdated(db, deployment))) throw forbidden();
      if (!again && (await pendingApprovals(db, deployment)) > 0)
        throw plainError(400, '400 Bad request - Unplayable Job');
    },

    async approvalsMissing(jobIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
      const blocked = jobIds.length === 0 ? [] : await blockedDeployments(db, jobIds);
      const missing = await Promise.all(blocked.map((deployment) => pendingApprovals(db, deployment)));
      return new Map(blocked.map(({ job_id }, at) => [Number(job_id), missing[at] ?? 0]));
    },
  };
}
