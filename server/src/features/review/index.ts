/** Review: merge requests. */
import type { Feature } from '../../kernel/feature.ts';
import { moveMergeRequests, removeMergeRequestsOf, unassign } from './merge-requests/contributions.queries.ts';
import { followers } from './merge-requests/following.ts';
import { mergeRequestRoutes, type PipelineReader } from './merge-requests/merge-requests.routes.ts';
import { type MergeRequestDependencies, mergeRequestService } from './merge-requests/merge-requests.service.ts';

export type { PipelineReader } from './merge-requests/merge-requests.routes.ts';
export type { MergeRequestDependencies } from './merge-requests/merge-requests.service.ts';

export interface ReviewDependencies extends MergeRequestDependencies {
  readonly pipelines: PipelineReader;
}

export interface Review extends Feature {
  /** What becomes of merge requests whose people go. */
  readonly contributions: {
    readonly move: typeof moveMergeRequests;
    readonly remove: typeof removeMergeRequestsOf;
    readonly unassign: typeof unassign;
  };
}

/** Merge requests with their routes and the consumers that follow pushes and pipelines. */
export function reviewFeature(deps: ReviewDependencies): Review {
  const service = mergeRequestService(deps);
  return {
    routes: mergeRequestRoutes(deps, service, deps.pipelines),
    consumers: followers(deps, service),
    contributions: { move: moveMergeRequests, remove: removeMergeRequestsOf, unassign },
  };
}
