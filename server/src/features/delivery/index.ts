/** Delivery: what leaves a project: releases. */
import type { Feature } from '../../kernel/feature.ts';
import type { Ports } from '../../kernel/ports.ts';
import { labeled } from '../collaboration/index.ts';
import { releasesOfTags } from '../repository/index.ts';
import {
  projectReleases,
  type ReleasesDependencies,
  releaseTexts,
  replaceMilestonesOfReleases,
  tagsRemoved,
} from './releases/index.ts';

export {
  linksOf as linksOfReleases,
  releaseById,
  releaseRelation,
  releaseUrl,
  rewriteReleaseUrl,
  sourcesOf,
} from './releases/index.ts';

export interface DeliveryDependencies extends ReleasesDependencies {
  readonly ports: Ports;
}

/** One per process, made by app.ts. */
export function deliveryFeature(deps: DeliveryDependencies): Feature {
  const releases = projectReleases(deps);
  deps.ports.provide(labeled, { milestonesReplaced: replaceMilestonesOfReleases });
  deps.ports.provide(releasesOfTags, { texts: releaseTexts, tagsRemoved });
  return { routes: releases.routes, tasks: releases.tasks };
}
