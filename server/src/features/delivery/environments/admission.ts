/** Whether jobs may deploy: not over a newer deployment where the project forbids that. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment, Job } from '../../../kernel/db/rows.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import type { Admission } from '../../ci/index.ts';
import { deploymentOfJob, lastDeployment } from './deployments.queries.ts';
import { environmentOfJob, forwardDeployment } from './environments.queries.ts';
import { register } from './records.ts';

/** Whether something newer was deployed to the environment meanwhile. */
async function isOutdated(db: Db, deployment: Deployment): Promise<boolean> {
  const last = await lastDeployment(db, deployment.environment_id);
  return last !== undefined && last.id > deployment.id && last.sha !== deployment.sha;
}

export function admission(db: Db) {
  return {
    async admit(tx: Db, job: Pick<Job, 'id'>): Promise<Admission> {
      await register(tx, { jobId: job.id });
      if (!(await environmentOfJob(tx, job.id))) return { failure: 'environment_creation_failure' };
      const deployment = await deploymentOfJob(tx, job.id);
      if (!deployment) return 'begin';
      const { only_forward } = await forwardDeployment(tx, deployment.project_id);
      if (only_forward && (await isOutdated(tx, deployment))) return { failure: 'failed_outdated_deployment_job' };
      return 'begin';
    },

    /** `again`: a new attempt deploys what was deployed before, which projects may allow. */
    async requireStart(_subject: ProjectSubject, _caller: Caller, job: Job, again: boolean): Promise<void> {
      const deployment = await deploymentOfJob(db, job.id);
      if (!deployment) return;
      const { only_forward, rollback } = await forwardDeployment(db, deployment.project_id);
      if (only_forward && !(again && rollback) && (await isOutdated(db, deployment))) throw forbidden();
    },
  };
}
