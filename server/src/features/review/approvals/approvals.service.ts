/** Approving a merge request, and taking an approval back. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, User } from '../../../kernel/db/rows.ts';
import { notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { recordReview } from '../merge-requests/people.queries.ts';
import { withdrawRequestedChanges } from '../reviews/reviews.queries.ts';
import { deleteApproval, deleteApprovals, insertApproval } from './approvals.queries.ts';
import type { ApprovalStates, StateDependencies } from './state.service.ts';

export interface ApprovalDependencies extends Pick<StateDependencies, 'db' | 'repository'> {
  /** Whether it is the user's password; attempts are counted like those to sign in. */
  readonly provesPassword: (user: User, password: string) => Promise<boolean>;
}

interface Vote {
  readonly sha?: string | undefined;
  readonly approval_password?: string | undefined;
}

export function approvalService(
  deps: ApprovalDependencies,
  service: Pick<MergeRequestService, 'tell' | 'catchUp'>,
  states: Pick<ApprovalStates, 'stateOf'>,
) {
  const { db, repository } = deps;

  async function openRequest({ project }: ProjectSubject, iid: number): Promise<MergeRequest> {
    const row = await requests.requireByIid(db, project.id, iid);
    if (row.state !== 'opened') throw unauthorized();
    return row;
  }

  const shaMismatch = (head: string) => plainError(409, `SHA does not match HEAD of source branch: ${head}`);

  return {
    /** 401 for who may not, or has already; 409 for another commit than the head. What `along` does stands or falls with it. */
    async approve(
      subject: ProjectSubject,
      caller: Caller,
      iid: number,
      vote: Vote,
      along: (tx: Db) => Promise<void> = async () => undefined,
    ): Promise<MergeRequest> {
      const { user } = caller;
      if (!user) throw unauthorized();
      // What is approved is the commit at the head of the branch, also while the push of it is not processed.
      const row = await service.catchUp(await openRequest(subject, iid));
      const { head_sha: head, base_sha: base } = row;
      if (head === null || base === null) throw unauthorized();
      if (vote.sha !== undefined && vote.sha !== head) throw shaMismatch(head);
      const before = await states.stateOf(subject, row, undefined, user.id);
      if (!before.mayApprove(user.id)) throw unauthorized();
      if (before.settings.require_password_to_approve) {
        const { approval_password: password } = vote;
        if (password === undefined || !(await deps.provesPassword(user, password))) throw unauthorized();
      }
      const patchId = await repository.patchId(subject.project, base, head);
      return await transaction(db, async (tx) => {
        const now = await requests.lockById(tx, row.id);
        if (now?.state !== 'opened') throw unauthorized();
        // Somebody pushed while they looked.
        if (now.head_sha !== head) throw shaMismatch(now.head_sha ?? '');
        const values = { merge_request_id: row.id, user_id: user.id, head_sha: head, patch_id: patchId };
        if (!(await insertApproval(tx, values))) throw unauthorized();
        await recordReview(tx, row.id, user.id, 'approved');
        await withdrawRequestedChanges(tx, row.id, user.id);
        await along(tx);
        const changed = await requests.updateRow(tx, row.id, {});
        const last = before.left <= 1 && !before.approved;
        await systemNote(tx, ofProject('merge_request', row), user.id, 'approved', 'approved this merge request');
        await service.tell(tx, last ? 'merge_request.approved' : 'merge_request.approval', changed, user.id);
        return changed;
      });
    },

    /** 404 where there is nothing to take back. */
    async unapprove(subject: ProjectSubject, caller: Caller, iid: number): Promise<MergeRequest> {
      const { user } = caller;
      if (!user) throw unauthorized();
      const row = await openRequest(subject, iid);
      const before = await states.stateOf(subject, row);
      return await transaction(db, async (tx) => {
        const now = await requests.lockById(tx, row.id);
        if (now?.state !== 'opened') throw unauthorized();
        if (!(await deleteApproval(tx, row.id, user.id))) throw notFound();
        await recordReview(tx, row.id, user.id, 'unapproved');
        const changed = await requests.updateRow(tx, row.id, {});
        const kind = before.approved ? 'merge_request.unapproved' : 'merge_request.unapproval';
        await systemNote(tx, ofProject('merge_request', row), user.id, 'unapproved', 'unapproved this merge request');
        await service.tell(tx, kind, changed, user.id);
        return changed;
      });
    },

    /** For the bots of projects and groups alone. */
    async reset(subject: ProjectSubject, caller: Caller, iid: number): Promise<void> {
      const { user, credential } = caller;
      const bot = user !== null && (user.user_type === 'project_bot' || user.user_type === 'group_bot');
      if (!bot || credential.kind !== 'token') throw unauthorized();
      if (!canOnProject(caller, 'update_merge_request', subject)) throw unauthorized();
      const row = await requests.requireByIid(db, subject.project.id, iid);
      await transaction(db, async (tx) => {
        const now = await requests.lockById(tx, row.id);
        if (!now || now.state === 'merged') throw unauthorized();
        await deleteApprovals(tx, row.id);
        await service.tell(tx, 'merge_request.updated', await requests.updateRow(tx, row.id, {}), user.id);
      });
    },
  };
}

export type ApprovalService = ReturnType<typeof approvalService>;
