/** The facts that merge checks judge, and what is asked of the checks: the status to show, and whether a merge may go on. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import type { Ports } from '../../../kernel/ports.ts';
import { type Ancestry, type RepositoryAccess, stackBase } from '../../repository/index.ts';
import { approvalsGiven } from '../approvals/approvals.check.ts';
import type { ApprovalStates, StateDependencies } from '../approvals/state.service.ts';
import { newestPipelineOf } from '../merge-requests/head-pipelines.queries.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import type { RequestSources } from '../merge-requests/sources.ts';
import { allStatusChecksPassed } from '../status-checks/status-checks.check.ts';
import { type Divergence, divergenceOf } from './branches.checks.ts';
import { mergeCheckList } from './list.ts';
import { listedStatuses } from './listed-statuses.ts';
import { lockInTheWay } from './locks.check.ts';
import {
  type DetailedStatus,
  firstRefusal,
  type LiveHeads,
  laterMergeChecks,
  type MergeCandidate,
  type MergeFacts,
  mergeFacts,
  type TrialMerge,
} from './merge-check.ts';
import { type StoredCandidate, storedCandidate } from './merge-facts.queries.ts';
import { allThreadsResolved } from './threads.check.ts';

export interface MergeCheckDependencies {
  readonly db: Db;
  readonly repository: Pick<RepositoryAccess, 'branch' | 'divergence' | 'lockInTheWay' | 'tryMerge'> & Ancestry;
  readonly ports: Pick<Ports, 'every'>;
  readonly settings: StateDependencies['settings'];
}

/** A request that is about to be merged. */
export interface LoadedCandidate extends MergeCandidate {
  readonly authorName: string | null;
  /** Whether the request knows the newest commit of its branch: the push that brought it was processed. */
  readonly followed: boolean;
}

/** A status with the row that it was found for: trying the merge may have brought the row up to date. */
export interface MergeStatus {
  readonly row: MergeRequest;
  readonly status: DetailedStatus;
}

/** The outcome of an earlier trial of the same two commits. */
function storedTrial(row: MergeRequest, heads: LiveHeads): TrialMerge | null {
  if (row.checked_against !== requests.checkedAgainst(heads)) return null;
  if (row.merge_status === 'can_be_merged') return { hasConflicts: false, empty: false };
  if (row.merge_status !== 'cannot_be_merged') return null;
  return { hasConflicts: row.has_conflicts, empty: !row.has_conflicts };
}

/** The columns of a request that keep the outcome. */
const columnsOf = (trial: TrialMerge, heads: LiveHeads): requests.Mergeability => ({
  merge_status: trial.hasConflicts || trial.empty ? 'cannot_be_merged' : 'can_be_merged',
  has_conflicts: trial.hasConflicts,
  checked_against: requests.checkedAgainst(heads),
});

export function mergeCheckService(
  deps: MergeCheckDependencies,
  sources: Pick<RequestSources, 'headOf'>,
  states: Pick<ApprovalStates, 'stateOf'>,
) {
  const { db, repository } = deps;
  const divergence = divergenceOf(repository);
  const factSources = {
    approvals: approvalsGiven(states),
    divergence,
    threads: allThreadsResolved(db),
    statusChecks: allStatusChecksPassed(db),
    lock: lockInTheWay(repository),
  };
  // Later domains have provided theirs once the application is composed.
  const checks = () =>
    mergeCheckList(
      factSources,
      deps.ports.every(laterMergeChecks).flatMap((provider) => provider.mergeChecks()),
    );

  async function candidateOf(
    subject: ProjectSubject,
    caller: Caller,
    { row, rules, pipeline, hasLocks, authorName }: StoredCandidate,
  ): Promise<LoadedCandidate> {
    const { project } = subject;
    const [{ head, followed }, target] = await Promise.all([
      sources.headOf(project, row),
      repository.branch(project, row.target_branch),
    ]);
    const heads = head === null || target === null ? null : { head, target };
    // Before a push was processed the stored pipeline is that of another commit.
    const current = heads && heads.head !== row.head_sha ? await newestPipelineOf(db, row.id, heads.head) : pipeline;
    const pipelineStatus = current?.status ?? null;
    return { subject, caller, row, rules, heads, pipelineStatus, hasLocks, authorName, followed };
  }

  /** A request with the state of its branches now; 404 where it is gone. */
  async function load(
    subject: ProjectSubject,
    caller: Caller,
    request: Parameters<typeof storedCandidate>[1],
  ): Promise<LoadedCandidate> {
    const stored = await storedCandidate(db, request);
    if (!stored) throw recordNotFound();
    return await candidateOf(subject, caller, stored);
  }

  /** Tries the merge, and keeps the outcome with the request without changing its `updated_at`: nobody edited it. */
  async function tried({ subject, row }: MergeCandidate, heads: LiveHeads, diverged: () => Promise<Divergence>) {
    const known = storedTrial(row, heads);
    if (known) return known;
    const base = await stackBase(repository, subject.project, row, heads);
    const clean = await repository.tryMerge(subject.project, heads.target, heads.head, base);
    const divergence = clean ? await diverged() : null;
    const trial = { hasConflicts: !clean, empty: divergence?.ahead === 0 };
    await requests.recordMergeability(db, row.id, columnsOf(trial, heads), divergence?.behind ?? null);
    return trial;
  }

  /** The status that is shown: the first refusal in the order of the list. */
  async function status(subject: ProjectSubject, caller: Caller, row: MergeRequest): Promise<MergeStatus> {
    if (row.state !== 'opened') return { row, status: 'not_open' };
    const candidate = await load(subject, caller, row);
    const { row: current, heads } = candidate;
    if (current.state !== 'opened') return { row: current, status: 'not_open' };
    const facts: MergeFacts = mergeFacts(candidate, (_candidate, tips) =>
      tried(candidate, tips, () => facts.get(divergence, tips)),
    );
    const refusal = await firstRefusal(facts, checks());
    const trial = heads && (await facts.trial(heads));
    const outcome = heads && trial ? columnsOf(trial, heads) : {};
    return { row: { ...current, ...outcome }, status: refusal?.status ?? 'mergeable' };
  }

  /** The facts for accepting a merge: what was not tried yet is left to whoever holds the lock. */
  const knownFacts = (candidate: MergeCandidate): MergeFacts =>
    mergeFacts(candidate, async ({ row }, heads) => storedTrial(row, heads));

  /** Throws what the API answers where the merge is refused in any case, or is not of the commit that the caller saw. */
  async function requireImmediate(facts: MergeFacts, sha: string | undefined): Promise<void> {
    const refusal = await firstRefusal(
      facts,
      checks().filter(({ awaitable }) => !awaitable),
    );
    if (refusal) throw refusal.error;
    if (sha !== undefined && sha !== facts.heads?.head)
      throw plainError(409, `SHA does not match HEAD of source branch: ${facts.heads?.head ?? ''}`);
  }

  /** Throws what the API answers where the merge is refused for now. */
  async function requireAwaitable(facts: MergeFacts): Promise<void> {
    const refusal = await firstRefusal(
      facts,
      checks().filter(({ awaitable }) => awaitable),
    );
    if (refusal) throw refusal.error;
  }

  /** The same without what a merge train sees to itself. */
  async function requireOnTrain(facts: MergeFacts): Promise<void> {
    const refusal = await firstRefusal(
      facts,
      checks().filter(({ awaitable, byTrain }) => awaitable && !byTrain),
    );
    if (refusal) throw refusal.error;
  }

  return {
    ...{ load, status, statusesOf: listedStatuses(deps, factSources, checks) },
    ...{ knownFacts, requireImmediate, requireAwaitable, requireOnTrain, divergence },
  };
}

export interface MergeCheckService extends ReturnType<typeof mergeCheckService> {}
