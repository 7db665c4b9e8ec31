/** Review: merge requests, and the external services that are asked about them. */

import type { ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Feature } from '../../kernel/feature.ts';
import type { Ports } from '../../kernel/ports.ts';
import { requestApprovals } from '../ci/index.ts';
import { labeled, type Noteables } from '../collaboration/index.ts';
import type { NoteableKind } from '../collaboration/notes/index.ts';
import { timeTrackingRoutes } from '../collaboration/time-tracking/index.ts';
import { membersUnassigned } from '../namespaces/index.ts';
import type { Pushed } from '../repository/index.ts';
import { approvalSettingRoutes } from './approvals/approval-settings.routes.ts';
import { approvalRoutes } from './approvals/approvals.routes.ts';
import { type ApprovalDependencies, approvalService } from './approvals/approvals.service.ts';
import { groupRuleRoutes } from './approvals/group-rules.routes.ts';
import { projectApprovalRoutes } from './approvals/project-approvals.routes.ts';
import { requestRuleRoutes } from './approvals/request-rules.routes.ts';
import { approvalRuleService } from './approvals/rules.service.ts';
import { approvalSettingsService } from './approvals/settings.service.ts';
import { approvalStates, type StateDependencies } from './approvals/state.service.ts';
import { conflictRoutes } from './conflicts/conflicts.routes.ts';
import { conflictResolving } from './conflicts/resolving.ts';
import { contextCommitRoutes } from './context-commits/context-commits.routes.ts';
import { dependencyRoutes } from './dependencies/dependencies.routes.ts';
import { draftNoteRoutes } from './draft-notes/draft-notes.routes.ts';
import { mergeCheckService } from './merge-checks/merge-checks.service.ts';
import { afterPush } from './merge-requests/after-push.ts';
import { changesRoutes, type PipelineReader } from './merge-requests/changes.routes.ts';
import { mergeRequestCommands } from './merge-requests/commands.ts';
import { commitMergeRequestRoutes } from './merge-requests/commit-merge-requests.routes.ts';
import { moveMergeRequests, removeMergeRequestsOf, unassign } from './merge-requests/contributions.queries.ts';
import { mergeRequestDetail } from './merge-requests/detail.ts';
import { type MergeRequestFeed, mergeRequestFeed } from './merge-requests/feed.ts';
import { followers } from './merge-requests/following.ts';
import {
  deployedMergeRequests,
  listingRoutes,
  type MergeRequestLists,
  mergeRequestLists,
} from './merge-requests/listing.routes.ts';
import { mergeRequestRoutes } from './merge-requests/merge-requests.routes.ts';
import { type MergeRequestDependencies, mergeRequestService } from './merge-requests/merge-requests.service.ts';
import { newMergeRequestRoutes } from './merge-requests/new-merge-request.routes.ts';
import { mergeRequestNoteable, timedMergeRequest } from './merge-requests/noteable.ts';
import { patchFile } from './merge-requests/patch-file.ts';
import { requestPeopleRoutes } from './merge-requests/people.routes.ts';
import { replaceLabels, replaceMilestones } from './merge-requests/planned.queries.ts';
import { mergeRequestReferences } from './merge-requests/references.ts';
import { type RequestSources, requestSources } from './merge-requests/sources.ts';
import { versionRoutes } from './merge-requests/versions.routes.ts';
import { trainFollowing } from './merge-trains/following.ts';
import { moveEntries } from './merge-trains/merge-trains.queries.ts';
import { mergeTrainRoutes } from './merge-trains/merge-trains.routes.ts';
import { mergeTrainService } from './merge-trains/merge-trains.service.ts';
import { stackJoining } from './merge-trains/stack-joining.ts';
import { trainWorker, type WorkerDependencies } from './merge-trains/worker.ts';
import { mergeAcceptance } from './merging/acceptance.ts';
import { mergedRefRoutes } from './merging/merged-ref.routes.ts';
import { mergingRoutes } from './merging/merging.routes.ts';
import { mergingService } from './merging/merging.service.ts';
import { rebasing } from './merging/rebasing.ts';
import { reviewService } from './reviews/reviews.service.ts';
import { retargeting } from './stacks/retargeting.ts';
import { stackRoutes } from './stacks/stacks.routes.ts';
import { type CallDependencies, statusCheckCalls } from './status-checks/calls.ts';
import { statusCheckRoutes } from './status-checks/status-checks.routes.ts';
import { type StatusCheckDependencies, statusCheckService } from './status-checks/status-checks.service.ts';
import { type ApplyDependencies, suggestionApplying } from './suggestions/applying.ts';
import { suggestionRoutes } from './suggestions/suggestions.routes.ts';
import { suggestionService } from './suggestions/suggestions.ts';

export { approvalSettingRelation } from './approvals/settings-transfer.ts';
export { approvalRelation, approvalRuleRelation } from './approvals/transfer.ts';
export { dependencyRelation } from './dependencies/transfer.ts';
export type { PipelineReader } from './merge-requests/changes.routes.ts';
export type { MergeRequestFeed } from './merge-requests/feed.ts';
export type { MergeRequestLists } from './merge-requests/listing.routes.ts';
export { isDraft, ListedMergeRequests, MergeRequest } from './merge-requests/merge-requests.entity.ts';
export { exclusiveFilters, filters as mergeRequestFilters } from './merge-requests/merge-requests.params.ts';
export type {
  CreateOptions as NewMergeRequest,
  MergeRequestDependencies,
} from './merge-requests/merge-requests.service.ts';
export { mergeRequestRelation } from './merge-requests/transfer.ts';
export { statusCheckRelation } from './status-checks/transfer.ts';
export { suggestionRelation } from './suggestions/transfer.ts';

export interface ReviewDependencies
  extends MergeRequestDependencies,
    Omit<CallDependencies, 'secrets'>,
    Omit<StatusCheckDependencies, 'tell'>,
    Pick<WorkerDependencies, 'lockDb' | 'trainPipelines'>,
    Pick<ApprovalDependencies, 'provesPassword'>,
    Pick<ApplyDependencies, 'commitAddress' | 'person'>,
    Pick<StateDependencies, 'settings'> {
  readonly pipelines: PipelineReader;
  readonly ports: Ports;
  readonly noteables: Noteables;
}

export interface Review extends Feature {
  /** Does what the options of a push ask of merge requests; lines for the person who pushed. */
  readonly afterPush: (pushed: Pushed<ProjectSubject>) => Promise<readonly string[]>;
  /** Branches of a project that the caller may push to because they may merge them into another. */
  readonly collaborates: RequestSources['collaborates'];
  readonly create: ReturnType<typeof mergeRequestService>['create'];
  /** Lists for the search. */
  readonly search: { readonly mergeRequests: MergeRequestLists };
  readonly deployed: ReturnType<typeof deployedMergeRequests>;
  readonly feed: MergeRequestFeed;
  /** What becomes of merge requests whose people go. */
  readonly contributions: {
    readonly move: typeof moveMergeRequests;
    readonly remove: typeof removeMergeRequestsOf;
  };
}

/** Merge requests with their routes and the consumers that follow pushes and pipelines. */
export function reviewFeature(deps: ReviewDependencies): Review {
  const service = mergeRequestService(deps);
  deps.ports.provide(labeled, { labelsReplaced: replaceLabels, milestonesReplaced: replaceMilestones });
  deps.ports.provide(membersUnassigned, { unassign });
  const sources = requestSources(deps);
  const states = approvalStates(deps);
  deps.ports.provide(requestApprovals, {
    approved: async (target, request) =>
      (await states.stateOf({ kind: 'project', ...target, level: 0 }, request)).approved,
  });
  const mergeChecks = mergeCheckService(deps, sources, states);
  const listed = { ...deps, statusesOf: mergeChecks.statusesOf };
  const acceptance = mergeAcceptance(deps, service, mergeChecks);
  const trains = mergeTrainService(deps, service);
  const worker = trainWorker(deps, service, mergeChecks, acceptance, sources);
  const following = trainFollowing(deps.db, worker);
  const merging = mergingService(deps, service, mergeChecks, acceptance, trains, worker.board);
  const joinStack = stackJoining(deps, mergeChecks, acceptance, trains, worker.board);
  const approvals = approvalService(deps, service, states);
  const rules = approvalRuleService(deps);
  const approvalSettings = approvalSettingsService(deps);
  const reviews = reviewService(deps, service, states, approvals);
  const detail = mergeRequestDetail(deps, mergeChecks.status);
  const suggestions = suggestionService(deps);
  const rebases = rebasing(deps, sources, service);
  const noteable: NoteableKind = {
    ...mergeRequestNoteable(listed, detail),
    ...suggestions.hooks,
    commands: mergeRequestCommands({ ...deps, requests: service, approvals, reviews, merging, rebases }),
  };
  const applying = suggestionApplying({ ...deps, kind: noteable }, service, sources, suggestions);
  const calls = statusCheckCalls(deps);
  const checks = statusCheckService({ ...deps, tell: calls.tell });
  return {
    routes: [
      ...listingRoutes(listed, mergeChecks.status),
      ...newMergeRequestRoutes(deps),
      ...mergeRequestRoutes({ ...deps, quickActions: deps.noteables.quickActions }, service, detail),
      ...changesRoutes(deps, deps.pipelines, detail),
      ...versionRoutes(deps),
      ...requestPeopleRoutes(deps),
      ...dependencyRoutes(listed, service),
      ...contextCommitRoutes(deps),
      ...conflictRoutes(conflictResolving(deps, service, sources), detail),
      ...stackRoutes(listed),
      ...mergedRefRoutes(deps),
      ...deps.noteables.register(noteable),
      ...draftNoteRoutes({ ...deps, kind: noteable, reviews }),
      ...suggestionRoutes(applying),
      ...timeTrackingRoutes(deps.db, timedMergeRequest(deps)),
      ...mergingRoutes(deps.db, merging, rebases, detail),
      ...mergeTrainRoutes({ ...deps, merging, joinStack }),
      ...commitMergeRequestRoutes(listed),
      ...projectApprovalRoutes(deps, rules, approvalSettings),
      ...approvalSettingRoutes(deps, approvalSettings),
      ...groupRuleRoutes(deps, rules),
      ...requestRuleRoutes(deps, rules, states),
      ...approvalRoutes({ ...deps, kind: noteable, reviews }, approvals, states),
      ...statusCheckRoutes({ ...listed, service: checks }),
    ],
    references: [mergeRequestReferences(deps.db)],
    pageFiles: [patchFile(deps)],
    afterPush: afterPush(deps, service, acceptance),
    collaborates: sources.collaborates,
    create: service.create,
    search: { mergeRequests: mergeRequestLists(listed) },
    deployed: deployedMergeRequests(listed),
    feed: mergeRequestFeed(deps),
    tasks: [...calls.tasks, ...rebases.tasks, ...merging.tasks, ...following.tasks],
    cron: following.cron,
    consumers: [
      ...followers(deps, service, merging),
      retargeting(deps, service),
      ...calls.consumers,
      ...following.consumers,
    ],
    contributions: {
      move: async (tx, from, to) => {
        await moveMergeRequests(tx, from, to);
        await moveEntries(tx, from, to);
      },
      remove: removeMergeRequestsOf,
    },
  };
}
