/** Delivery: what leaves a project: releases, and deployments to environments. */
import type { Feature } from '../../kernel/feature.ts';
import type { Ports } from '../../kernel/ports.ts';
import { labeled } from '../collaboration/index.ts';
import { type RepositoryReader, releasesOfTags } from '../repository/index.ts';
import { catalogFeature } from './catalog/index.ts';
import { type EnvironmentsDependencies, environmentsFeature } from './environments/index.ts';
import { type FeatureFlagDependencies, featureFlagsFeature } from './feature-flags/index.ts';
import { freezePeriodRoutes } from './freeze-periods/index.ts';
import { type PackagesDependencies, packagesFeature } from './packages/index.ts';
import { protectedEnvironments } from './protected-environments/index.ts';
import {
  projectReleases,
  type ReleasesDependencies,
  releaseTexts,
  replaceMilestonesOfReleases,
  tagsRemoved,
} from './releases/index.ts';
import { valueStreamRoutes } from './value-stream/index.ts';

export { deploymentById, environmentsById } from './environments/index.ts';
export { deploymentRelation, environmentRelation } from './environments/transfer.ts';
export { freezePeriodRelation } from './freeze-periods/transfer.ts';
export { protectedEnvironmentRelation } from './protected-environments/transfer.ts';
export {
  linksOf as linksOfReleases,
  newestReleases,
  releaseById,
  releaseRelation,
  releaseUrl,
  rewriteReleaseUrl,
  sourcesOf,
} from './releases/index.ts';

export interface DeliveryDependencies
  extends ReleasesDependencies,
    EnvironmentsDependencies,
    FeatureFlagDependencies,
    PackagesDependencies {
  readonly reader: RepositoryReader;
  readonly ports: Ports;
}

/** One per process, made by app.ts. */
export function deliveryFeature(deps: DeliveryDependencies): Feature {
  const releases = projectReleases(deps);
  deps.ports.provide(labeled, { milestonesReplaced: replaceMilestonesOfReleases });
  deps.ports.provide(releasesOfTags, { texts: releaseTexts, tagsRemoved });
  const environments = environmentsFeature(deps);
  const catalog = catalogFeature(deps);
  return {
    routes: [
      ...releases.routes,
      ...catalog.routes,
      ...environments.routes,
      ...featureFlagsFeature(deps),
      ...packagesFeature(deps),
      ...freezePeriodRoutes(deps.db),
      ...protectedEnvironments(deps.db),
      ...valueStreamRoutes(deps.db),
    ],
    pageFiles: releases.pageFiles,
    tasks: [...releases.tasks, ...environments.tasks],
    cron: environments.cron,
    consumers: [...environments.consumers, ...catalog.consumers],
  };
}
