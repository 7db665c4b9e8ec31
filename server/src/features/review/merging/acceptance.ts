/** What every way to merge begins and ends with: who may, the request at the head of its branch, and the record. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { unauthorized } from '../../../kernel/http/errors.ts';
import type { BranchPermissions } from '../../repository/index.ts';
import type { LoadedCandidate, MergeCheckService } from '../merge-checks/merge-checks.service.ts';
import { mergeWhenDue } from '../merge-requests/merge-after.ts';
import * as queries from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { ofFork } from '../merge-requests/sources.ts';
import type { MergeCommits, MergeOptions } from './merge-commits.ts';

/** Who merges, and what the protected branches of the project let them do. */
export interface Merger {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly permissions: BranchPermissions;
}

/** The columns of a request that was merged. */
export const mergedColumns = (done: MergeCommits, userId: number) => ({
  state: 'merged' as const,
  merge_status: 'can_be_merged' as const,
  has_conflicts: false,
  merged_at: new Date(),
  merge_user_id: userId,
  merge_commit_sha: done.merge,
  squash_commit_sha: done.squash,
  merged_commit_sha: done.commit,
  auto_merge: false,
  merge_error: null,
});

export const asksForRemoval = (row: MergeRequest, options: MergeOptions) =>
  options.shouldRemoveSourceBranch ?? row.force_remove_source_branch ?? false;

/** Whether the source branch goes with the merge: those of forks, default and protected branches stay. */
export const removesBranch = ({ subject: { project }, row }: LoadedCandidate, rules: BranchPermissions) =>
  !ofFork(row) && row.source_branch !== project.default_branch && !rules.isProtected(row.source_branch);

export function mergeAcceptance(
  { db, repository }: Pick<MergeRequestDependencies, 'db' | 'repository'>,
  requests: Pick<MergeRequestService, 'tell' | 'catchUp'>,
  checks: MergeCheckService,
) {
  /** The request at the head of its branch: what is merged and recorded is the commit that the checks have judged. */
  async function atHead(candidate: LoadedCandidate): Promise<LoadedCandidate> {
    const { row, subject, caller } = candidate;
    if (row.state !== 'opened' || candidate.heads === null || candidate.followed) return candidate;
    await requests.catchUp(row);
    return await checks.load(subject, caller, row);
  }

  /** Throws where they may not merge into the target branch. */
  async function mergerOf(
    subject: ProjectSubject,
    caller: Caller,
    { target_branch: target }: Pick<MergeRequest, 'target_branch'>,
  ): Promise<Merger> {
    const permissions = await repository.branchPermissions(subject, caller);
    if (!permissions.mayMerge(target)) throw unauthorized();
    return { subject, caller, permissions };
  }

  async function setAutoMerge(row: MergeRequest, caller: Caller, params: object): Promise<MergeRequest> {
    return await transaction(db, async (tx) => {
      const changed = await queries.updateRow(tx, row.id, {
        auto_merge: true,
        merge_user_id: caller.user?.id ?? null,
        auto_merge_params: JSON.stringify(params),
      });
      if (changed.merge_after !== null) await mergeWhenDue(tx, changed);
      await requests.tell(tx, 'merge_request.updated', changed, caller.user?.id ?? null, undefined, {
        auto_merge: true,
      });
      return changed;
    });
  }

  return { atHead, mergerOf, setAutoMerge };
}

export type MergeAcceptance = ReturnType<typeof mergeAcceptance>;
