/** What a push does to approvals: it takes them back, unless it only brings the same changes on another base. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import type { RepositoryAccess } from '../../repository/index.ts';
import { approvalsOf, deleteApprovals, deleteApprovalsBy, deleteOtherApprovals } from './approvals.queries.ts';
import { ownersOfPaths } from './code-owner-rules.ts';
import { settingsUnderGroups } from './settings.queries.ts';

export interface NewHead {
  readonly head: string;
  readonly base: string;
  readonly target: string;
}

interface Dependencies {
  readonly db: Db;
  readonly repository: Pick<RepositoryAccess, 'changedPaths' | 'codeOwners' | 'patchId'>;
}

/** Looks at the repository first; what it answers changes rows in the transaction that moves the head. */
export async function approvalsAfterPush(
  { db, repository }: Dependencies,
  project: Project,
  before: MergeRequest,
  { head, base, target }: NewHead,
): Promise<(tx: Db) => Promise<void>> {
  const [settings, approvals] = await Promise.all([settingsUnderGroups(db, project.id), approvalsOf(db, before.id)]);
  // Whoever approves meanwhile approves the commit before: nothing is known of what that has in common with this one.
  if (approvals.length === 0)
    return (tx) => (settings.reset_approvals_on_push ? deleteApprovals(tx, before.id) : Promise.resolve());
  if (settings.reset_approvals_on_push) {
    const patchId = await repository.patchId(project, base, head);
    return (tx) => deleteOtherApprovals(tx, before.id, { headSha: head, patchId });
  }
  if (!settings.selective_code_owner_removals || before.head_sha === null) return async () => {};
  // What came from the target branch was not changed by the push: only what the request brings counts.
  const [changed, ofNew, ofOld] = await Promise.all([
    repository.changedPaths(project, before.head_sha, head),
    repository.changedPaths(project, base, head),
    before.base_sha === null ? [] : repository.changedPaths(project, before.base_sha, before.head_sha),
  ]);
  const brought = new Set([...ofNew, ...ofOld]);
  const owners = await ownersOfPaths(
    { db, repository },
    project,
    target,
    changed.filter((path) => brought.has(path)),
  );
  return (tx) => deleteApprovalsBy(tx, before.id, [...owners]);
}
