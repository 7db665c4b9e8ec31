/** Releases of projects. */
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import type { Route } from '../../../kernel/http/route.ts';
import type { Markdown } from '../../../kernel/markdown/index.ts';
import { releaseBadge } from './badge.ts';
import { releaseLinkRoutes } from './links.routes.ts';
import { releasePresenter } from './releases.entity.ts';
import { releaseRoutes } from './releases.routes.ts';
import { type ReleaseServiceDependencies, releaseService } from './releases.service.ts';

export { rewriteReleaseUrl } from './addresses.ts';
export { replaceMilestonesOfReleases } from './milestones.queries.ts';
export { releaseUrl, sourcesOf } from './releases.entity.ts';
export { findRelease, linksOf, newestReleases, releaseById, releaseTexts } from './releases.queries.ts';
export { tagsRemoved } from './tags.ts';
export { releaseRelation } from './transfer.ts';

export interface ReleasesDependencies extends ReleaseServiceDependencies {
  readonly parents: ParentLoader;
  readonly externalUrl: string;
  readonly markdown: Pick<Markdown, 'html'>;
}

export function projectReleases(deps: ReleasesDependencies) {
  const releases = releaseService(deps);
  const routing = { db: deps.db, parents: deps.parents, releases, presenter: releasePresenter(deps) };
  const routes: Route[] = [...releaseRoutes(routing), ...releaseLinkRoutes(routing)];
  return { routes, tasks: releases.tasks, pageFiles: [releaseBadge(deps.db)] };
}
