/** Review: merge requests, and the external services that are asked about them. */

import type { ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { Pushed } from '../repository/index.ts';
import { afterPush } from './merge-requests/after-push.ts';
import { moveMergeRequests, removeMergeRequestsOf, unassign } from './merge-requests/contributions.queries.ts';
import { firstWordsRoutes } from './merge-requests/first-words.routes.ts';
import { followers } from './merge-requests/following.ts';
import { listingRoutes } from './merge-requests/listing.routes.ts';
import { mergeRequestRoutes, type PipelineReader } from './merge-requests/merge-requests.routes.ts';
import { type MergeRequestDependencies, mergeRequestService } from './merge-requests/merge-requests.service.ts';
import { commitMergeRequestRoutes } from './merge-requests/of-commits.routes.ts';
import { replaceLabels, replaceMilestones } from './merge-requests/planned.queries.ts';
import { rebasing } from './merge-requests/rebasing.ts';
import { type RequestSources, requestSources } from './merge-requests/sources.ts';
import { type CallDependencies, statusCheckCalls } from './status-checks/calls.ts';
import { statusCheckRoutes } from './status-checks/status-checks.routes.ts';
import { type StatusCheckDependencies, statusCheckService } from './status-checks/status-checks.service.ts';

export type { PipelineReader } from './merge-requests/merge-requests.routes.ts';
export type { MergeRequestDependencies } from './merge-requests/merge-requests.service.ts';
export { mergeRequestRelation } from './merge-requests/transfer.ts';

export interface ReviewDependencies
  extends MergeRequestDependencies,
    Omit<CallDependencies, 'secrets'>,
    Omit<StatusCheckDependencies, 'tell'> {
  readonly pipelines: PipelineReader;
}

export interface Review extends Feature {
  /** Does what the options of a push ask of merge requests; lines for the person who pushed. */
  readonly afterPush: (pushed: Pushed<ProjectSubject>) => Promise<readonly string[]>;
  /** Branches of a project that the caller may push to because they may merge them into another. */
  readonly collaborates: RequestSources['collaborates'];
  /** Labels and milestones of merge requests, when one takes the place of others. */
  readonly carrier: {
    readonly labelsReplaced: typeof replaceLabels;
    readonly milestonesReplaced: typeof replaceMilestones;
  };
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
  const rebases = rebasing(deps, requestSources(deps), service);
  const calls = statusCheckCalls(deps);
  const checks = statusCheckService({ ...deps, tell: calls.tell });
  return {
    routes: [
      ...listingRoutes(deps),
      ...firstWordsRoutes(deps),
      ...mergeRequestRoutes(deps, service, deps.pipelines, rebases),
      ...commitMergeRequestRoutes(deps),
      ...statusCheckRoutes({ db: deps.db, externalUrl: deps.externalUrl, service: checks }),
    ],
    afterPush: afterPush(deps, service),
    collaborates: requestSources(deps).collaborates,
    tasks: [...calls.tasks, ...rebases.tasks],
    consumers: [...followers(deps, service), ...calls.consumers],
    carrier: { labelsReplaced: replaceLabels, milestonesReplaced: replaceMilestones },
    contributions: { move: moveMergeRequests, remove: removeMergeRequestsOf, unassign },
  };
}
