/** Review: merge requests. */
import type { Feature } from '../../kernel/feature.ts';
import { followers } from './merge-requests/following.ts';
import { mergeRequestRoutes, type PipelineReader } from './merge-requests/merge-requests.routes.ts';
import { type MergeRequestDependencies, mergeRequestService } from './merge-requests/merge-requests.service.ts';

export type { PipelineReader } from './merge-requests/merge-requests.routes.ts';
export type { MergeRequestDependencies } from './merge-requests/merge-requests.service.ts';

export interface ReviewDependencies extends MergeRequestDependencies {
  readonly pipelines: PipelineReader;
}

/** Merge requests with their routes and the consumers that follow pushes and pipelines. */
export function reviewFeature(deps: ReviewDependencies): Feature {
  const service = mergeRequestService(deps);
  return { routes: mergeRequestRoutes(deps, service, deps.pipelines), consumers: followers(deps, service) };
}
