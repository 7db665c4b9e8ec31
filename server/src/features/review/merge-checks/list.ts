/** The list of merge checks. */
import { type approvalsGiven, isApproved } from '../approvals/approvals.check.ts';
import { waitsForNone } from '../dependencies/dependencies.check.ts';
import { noChangesRequested } from '../reviews/reviews.check.ts';
import { type allStatusChecksPassed, statusChecksPassed } from '../status-checks/status-checks.check.ts';
import { branchesExist, type divergenceOf, hasCommits, hasNoConflicts, isUpToDate } from './branches.checks.ts';
import { changesNothingLocked, type lockInTheWay } from './locks.check.ts';
import type { MergeCheck } from './merge-check.ts';
import { pipelineSucceeded } from './pipeline.check.ts';
import { isNotDraft, isOpen, isTimeToMerge, titleMatches } from './request.checks.ts';
import { type allThreadsResolved, threadsResolved } from './threads.check.ts';

/** Where the facts come from that not every check needs. */
export interface MergeFactSources {
  readonly approvals: ReturnType<typeof approvalsGiven>;
  readonly divergence: ReturnType<typeof divergenceOf>;
  readonly threads: ReturnType<typeof allThreadsResolved>;
  readonly statusChecks: ReturnType<typeof allStatusChecksPassed>;
  readonly lock: ReturnType<typeof lockInTheWay>;
}

/** In the order in which people would resolve what stands in the way; those of later domains come last. */
export const mergeCheckList = (
  sources: MergeFactSources,
  further: readonly MergeCheck[] = [],
): readonly MergeCheck[] => [
  isOpen,
  branchesExist,
  hasNoConflicts,
  hasCommits,
  isNotDraft,
  titleMatches,
  isTimeToMerge,
  waitsForNone,
  threadsResolved(sources.threads),
  noChangesRequested,
  isApproved(sources.approvals),
  isUpToDate(sources.divergence),
  pipelineSucceeded,
  statusChecksPassed(sources.statusChecks),
  changesNothingLocked(sources.lock),
  ...further,
];
