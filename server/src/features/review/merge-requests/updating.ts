/** Changing a merge request: its texts, people, target and state. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { forbidden, HttpError, invalidRecord, recordNotFound } from '../../../kernel/http/errors.ts';
import { type TaskChange, withTask } from '../../collaboration/index.ts';
import { ofProject, systemNote } from '../../collaboration/notes/index.ts';
import { baseOf } from '../../repository/index.ts';
import { threadsAfterPush } from '../threads/threads-after-push.ts';
import { anotherOpen } from './duplicate.ts';
import { headRef, keepVersion } from './head-ref.ts';
import { assign, noteableOf, notePeople } from './history.ts';
import { mergeWhenDue } from './merge-after.ts';
import * as queries from './merge-requests.queries.ts';
import type { MergeRequestDependencies, MergeRequestService } from './merge-requests.service.ts';
import { type PlanWishes, relabel, wishedMilestone } from './planning.ts';
import { mayCollaborate, ofFork, type RequestSources } from './sources.ts';
import { insertVersion } from './versions.queries.ts';

export interface UpdateOptions extends PlanWishes {
  readonly title?: string | undefined;
  readonly description?: string | null | undefined;
  /** One check box of the description. */
  readonly update_task?: TaskChange | undefined;
  readonly target_branch?: string | undefined;
  readonly state_event?: 'close' | 'reopen' | undefined;
  readonly squash?: boolean | undefined;
  readonly remove_source_branch?: boolean | undefined;
  readonly allow_collaboration?: boolean | undefined;
  readonly discussion_locked?: boolean | undefined;
  /** For those who may merge it. */
  readonly override_requested_changes?: boolean | undefined;
  readonly merge_after?: Date | null | undefined;
  readonly approvals_before_merge?: number | undefined;
  /** With another target branch: the head of the request below, which was merged into that. */
  readonly stack_base_sha?: string | undefined;
  /** With another target branch that nobody chose: what the timeline says of it. */
  readonly target_note?: string | undefined;
  readonly assignee_ids?: readonly number[] | undefined;
  readonly reviewer_ids?: readonly number[] | undefined;
}

interface UpdateDependencies extends MergeRequestDependencies {
  readonly sources: Pick<RequestSources, 'liveHead'>;
}

/** Whether the caller opens a branch of a fork to those who merge it: only who may push to it, and where all may see it. */
async function opensBranch(deps: UpdateDependencies, { project }: ProjectSubject, caller: Caller, row: MergeRequest) {
  if (row.source_project_id === null) return false;
  const source = await deps.projectAs(row.source_project_id, caller);
  return (
    source !== null &&
    mayCollaborate(source.project, project) &&
    (await deps.repository.mayPush(source, caller, row.source_branch))
  );
}

/** A merge request may ask for more approvals than its project, not for fewer. */
export function requireEnoughApprovals(project: Pick<Project, 'approvals_before_merge'>, wished: number | undefined) {
  if (wished === undefined || wished >= project.approvals_before_merge) return;
  throw invalidRecord({
    approvals_before_merge: [`must be at least ${project.approvals_before_merge}, as the project requires`],
  });
}

export const sameBranches = () =>
  new HttpError(422, { message: ["You can't use same project/branch for source and target"] });

/** The refs of the request against another target, or the same one after a reopening. */
async function retarget(
  deps: UpdateDependencies,
  subject: ProjectSubject,
  row: MergeRequest,
  branch: string,
  below: string | null,
) {
  if (!ofFork(row) && branch === row.source_branch) throw sameBranches();
  const [target, head] = await Promise.all([
    deps.repository.branch(subject.project, branch),
    deps.sources.liveHead(row),
  ]);
  if (target === null) throw invalidRecord({ target_branch: ['does not exist'] });
  const tip = head ?? row.head_sha;
  if (tip === null) throw invalidRecord({ source_branch: ['does not exist'] });
  const source = ofFork(row) && row.source_project_id !== null ? await deps.project(row.source_project_id) : null;
  if (source && head !== null) await deps.repository.carry(subject.project, source, head);
  const stack = { stack_base_sha: below };
  const base = await baseOf(deps.repository, subject.project, stack, { target, head: tip });
  return {
    target_branch: branch,
    start_sha: target,
    base_sha: base,
    head_sha: tip,
    stack_base_sha: below,
    merge_status: 'unchecked' as const,
    checked_against: null,
  };
}

/** Only who may merge the request decides that it is merged despite requested changes. */
async function requireMerger(deps: UpdateDependencies, subject: ProjectSubject, caller: Caller, row: MergeRequest) {
  if (canOnProject(caller, 'accept_merge_request', subject))
    if (await deps.repository.mayMerge(subject, caller, row.target_branch)) return;
  throw forbidden();
}

/** What it stands on in the target branch that it is to have. */
const stackOf = (request: MergeRequest, { target_branch, stack_base_sha }: UpdateOptions): string | null =>
  stack_base_sha ?? (target_branch === undefined ? request.stack_base_sha : null);

/** Applies a change and tells it; `merge_request.closed` and `.reopened` where the state moved, else `.updated`. */
export async function updateMergeRequest(
  deps: UpdateDependencies,
  tell: MergeRequestService['tell'],
  subject: ProjectSubject,
  caller: Caller,
  request: MergeRequest,
  options: UpdateOptions,
): Promise<MergeRequest> {
  const { override_requested_changes: override } = options;
  if (override !== undefined) await requireMerger(deps, subject, caller, request);
  requireEnoughApprovals(subject.project, options.approvals_before_merge);
  const closes = options.state_event === 'close' && request.state === 'opened';
  const reopens = options.state_event === 'reopen' && request.state === 'closed';
  const target =
    options.target_branch !== undefined && options.target_branch !== request.target_branch
      ? options.target_branch
      : reopens
        ? request.target_branch
        : undefined;
  const refs = target === undefined ? null : await retarget(deps, subject, request, target, stackOf(request, options));
  if (refs && refs.head_sha !== request.head_sha) {
    const before = await deps.repository.keptRef(subject.project, headRef(request.iid));
    await keepVersion(deps, subject.project, request.iid, { before, head: refs.head_sha });
    await deps.repository.keepRef(deps.db, subject.project, headRef(request.iid), refs.head_sha);
  }
  const moveThreads =
    refs && refs.head_sha !== null
      ? await threadsAfterPush(deps, subject.project, request, {
          base_sha: refs.base_sha,
          start_sha: refs.start_sha,
          head_sha: refs.head_sha,
        })
      : null;
  const wished = options.allow_collaboration;
  const collaboration = wished && !(await opensBranch(deps, subject, caller, request)) ? undefined : wished;
  try {
    return await transaction(deps.db, async (tx) => {
      const row = await queries.lockById(tx, request.id);
      if (!row) throw recordNotFound();
      if (row.state === 'merged' && (options.state_event !== undefined || refs)) return row;
      const description = options.update_task ? withTask(row.description, options.update_task) : options.description;
      const milestone = await wishedMilestone(tx, subject, caller, options);
      const labels = await relabel(tx, subject, caller, row.id, options);
      const changed = await queries.updateRow(tx, row.id, {
        ...(milestone === undefined ? {} : { milestone_id: milestone }),
        ...(options.title === undefined ? {} : { title: options.title }),
        ...(description === undefined ? {} : { description }),
        ...(options.squash === undefined ? {} : { squash: options.squash }),
        ...(options.remove_source_branch === undefined
          ? {}
          : { force_remove_source_branch: options.remove_source_branch }),
        ...(collaboration === undefined ? {} : { allow_collaboration: collaboration }),
        ...(options.discussion_locked === undefined ? {} : { discussion_locked: options.discussion_locked }),
        ...(override === undefined ? {} : { override_requested_changes: override }),
        ...(options.merge_after === undefined ? {} : { merge_after: options.merge_after }),
        ...(options.approvals_before_merge === undefined
          ? {}
          : { approvals_before_merge: options.approvals_before_merge }),
        ...(refs ?? {}),
        ...(closes
          ? {
              state: 'closed' as const,
              closed_at: new Date(),
              closed_by_id: caller.user?.id ?? null,
              auto_merge: false,
              auto_merge_params: null,
              merge_user_id: null,
            }
          : {}),
        ...(reopens ? { state: 'opened' as const, closed_at: null, closed_by_id: null } : {}),
      });
      if (options.merge_after !== undefined && changed.auto_merge) await mergeWhenDue(tx, changed);
      await moveThreads?.(tx);
      if (override !== undefined && override !== row.override_requested_changes && caller.user)
        await systemNote(
          tx,
          ofProject('merge_request', row),
          caller.user.id,
          'requested_changes',
          override ? 'bypassed the requested changes' : 'removed the bypass of the requested changes',
        );
      const actor = caller.user?.id ?? null;
      const assignee = options.assignee_ids ? await assign(tx, row, 'assignee', options.assignee_ids, actor) : null;
      const reviewer = options.reviewer_ids ? await assign(tx, row, 'reviewer', options.reviewer_ids, actor) : null;
      const people = { ...(assignee ? { assignee } : {}), ...(reviewer ? { reviewer } : {}) };
      if (assignee) await notePeople(tx, row, 'assignee', assignee, actor);
      if (reviewer) await notePeople(tx, row, 'reviewer', reviewer, actor);
      if (row.title !== changed.title && actor !== null)
        await systemNote(
          tx,
          noteableOf(row),
          actor,
          'title',
          `changed title from **${row.title}** to **${changed.title}**`,
        );
      if (row.target_branch !== changed.target_branch && actor !== null) {
        const [before, now] = [row.target_branch, changed.target_branch];
        const body = options.target_note ?? `changed target branch from \`${before}\` to \`${now}\``;
        await systemNote(tx, noteableOf(row), actor, 'branch', body);
      }
      if (refs?.head_sha && refs.head_sha !== row.head_sha) {
        await insertVersion(tx, {
          id: row.id,
          headSha: refs.head_sha,
          baseSha: refs.base_sha,
          startSha: refs.start_sha,
        });
      }
      await tell(
        tx,
        closes ? 'merge_request.closed' : reopens ? 'merge_request.reopened' : 'merge_request.updated',
        changed,
        caller.user?.id ?? null,
        row,
        { labels, ...(assignee || reviewer ? { people } : {}) },
      );
      return changed;
    });
  } catch (error) {
    if (!isUniqueViolation(error, 'merge_requests_open_key')) throw error;
    throw await anotherOpen(deps.db, { ...request, ...(refs ? { target_branch: refs.target_branch } : {}) });
  }
}
