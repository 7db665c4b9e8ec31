/** Environments of projects, and deployments to them. */
import type { Ports } from '../../../kernel/ports.ts';
import type { Secrets } from '../../../kernel/secrets/index.ts';
import { jobDeployments } from '../../ci/index.ts';
import { frozen } from '../freeze-periods/index.ts';
import { isProtected } from '../protected-environments/index.ts';
import { admission } from './admission.ts';
import { type ApprovalDependencies, approving } from './approvals.ts';
import { setUrl } from './deployments.queries.ts';
import { type DeploymentRoutesDependencies, deploymentRoutes } from './deployments.routes.ts';
import { type DeploymentServiceDependencies, deploymentService } from './deployments.service.ts';
import { type DeploymentPresenterDependencies, deploymentPresenter } from './environments.entity.ts';
import { environmentOfJob } from './environments.queries.ts';
import { environmentRoutes } from './environments.routes.ts';
import { environmentService } from './environments.service.ts';
import { mergeRequestDeploymentRoutes } from './merge-request-deployments.routes.ts';
import { follow } from './records.ts';
import { type StoppingDependencies, stopping } from './stopping.ts';

export { deploymentById } from './deployments.queries.ts';
export { environmentsById } from './environments.queries.ts';

export interface EnvironmentsDependencies
  extends StoppingDependencies,
    DeploymentServiceDependencies,
    Pick<DeploymentRoutesDependencies, 'mergeRequests'> {
  readonly jobs: StoppingDependencies['jobs'] & ApprovalDependencies['jobs'] & DeploymentPresenterDependencies['jobs'];
  readonly externalUrl: string;
  readonly secrets: Secrets;
  readonly ports: Ports;
}

export function environmentsFeature(deps: EnvironmentsDependencies) {
  const { db } = deps;
  const presenter = deploymentPresenter(deps);
  const deployments = deploymentService(deps);
  const stops = stopping(deps);
  deps.ports.provide(jobDeployments, {
    ...admission(db),
    follow: (tx, pipeline) => follow(deps, tx, pipeline),
    environmentOf: async (handle, jobId) => {
      const found = await environmentOfJob(handle, jobId);
      if (!found) return null;
      const { id, name, slug, tier, external_url } = found.environment;
      return { id, name, slug, tier, external_url, action: found.action };
    },
    isProtected: (handle, project_id, { name, tier }) => isProtected(handle, { project_id, name, tier }),
    addressKnown: setUrl,
    frozen,
  });
  return {
    routes: [
      ...environmentRoutes({ db, environments: environmentService(db), stopping: stops, presenter }),
      ...deploymentRoutes({ ...deps, deployments, presenter, approve: approving(deps) }),
      ...mergeRequestDeploymentRoutes(db, presenter),
    ],
    tasks: [...stops.tasks, ...deployments.tasks],
    cron: stops.cron,
    consumers: [stops.consumer],
  };
}
