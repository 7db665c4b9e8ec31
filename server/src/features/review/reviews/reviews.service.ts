/** Reviews: the drafts of one person are published together, with a summary and an outcome. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, User } from '../../../kernel/db/rows.ts';
import { forbidden, notFound, recordNotFound, unauthorized } from '../../../kernel/http/errors.ts';
import { createTodo, type Noteables } from '../../collaboration/index.ts';
import { ofProject, type Place, systemNote } from '../../collaboration/notes/index.ts';
import { deleteApproval } from '../approvals/approvals.queries.ts';
import type { ApprovalService } from '../approvals/approvals.service.ts';
import type { ApprovalStates } from '../approvals/state.service.ts';
import { type DraftNote, type DraftOwner, takeDrafts } from '../draft-notes/draft-notes.queries.ts';
import { notePeople } from '../merge-requests/history.ts';
import * as requests from '../merge-requests/merge-requests.queries.ts';
import type { MergeRequestService } from '../merge-requests/merge-requests.service.ts';
import { recordReview, resetReview } from '../merge-requests/people.queries.ts';
import { insertRequestedChanges } from './reviews.queries.ts';

/** Outcomes of a review. */
export const reviewStates = ['reviewed', 'requested_changes', 'approved'] as const;
export type ReviewState = (typeof reviewStates)[number];

export interface Review {
  readonly note?: string | undefined;
  readonly reviewer_state?: ReviewState | undefined;
  readonly approval_password?: string | undefined;
  readonly sha?: string | undefined;
}

interface Dependencies {
  readonly db: Db;
  readonly noteables: Noteables;
}

export function reviewService(
  { db, noteables }: Dependencies,
  service: Pick<MergeRequestService, 'tell'>,
  states: Pick<ApprovalStates, 'stateOf'>,
  approvals: Pick<ApprovalService, 'approve'>,
) {
  /** Whoever may change or approve the merge request, but not its author: requested changes block the merge. */
  async function mayReview(subject: ProjectSubject, caller: Caller, row: MergeRequest): Promise<boolean> {
    const { user } = caller;
    if (user === null || row.author_id === user.id) return false;
    if (canOnProject(caller, 'update_merge_request', subject)) return true;
    const state = await states.stateOf(subject, row, undefined, user.id);
    return state.mayApprove(user.id) || state.approvals.some(({ user_id }) => user_id === user.id);
  }

  /**
   * Makes a comment of a draft, in the transaction that takes the draft away. Answers what applies its quick actions, for
   * when that is committed; of a draft that has nothing else no comment is made.
   */
  async function publish(tx: Db, place: Place, caller: Caller, draft: DraftNote): Promise<() => Promise<unknown>> {
    const notes = noteables.notesIn(tx);
    const { discussion_id: thread } = draft;
    const { text: body, apply } = noteables.quickActions.extracted(place, caller, draft.body);
    notes.requireComment(place, caller);
    if (body === '') {
      if (thread !== null && draft.resolve_discussion) await notes.resolveDiscussion(place, caller, thread, true);
      return apply;
    }
    const made =
      thread === null
        ? await notes.create(place, caller, {
            body,
            kind: draft.position === null ? null : 'diff',
            ...(draft.position === null
              ? {}
              : {
                  position: draft.position as never,
                  lineCode: draft.line_code,
                  commitId: draft.commit_id ?? undefined,
                }),
          })
        : await notes.reply(place, caller, thread, { body });
    if (draft.resolve_discussion && made.kind !== null)
      await notes.resolveDiscussion(place, caller, made.discussion_id, true);
    return apply;
  }

  /** Changes are requested of what is open; an earlier approval of the same person is taken back. */
  async function requestChanges(tx: Db, id: number, userId: number): Promise<void> {
    const row = await requests.lockById(tx, id);
    if (row?.state !== 'opened') throw forbidden();
    await insertRequestedChanges(tx, id, userId);
    await deleteApproval(tx, id, userId);
    // A bypass was granted for what was requested before.
    const changed = await requests.updateRow(tx, id, { override_requested_changes: false });
    await systemNote(tx, ofProject('merge_request', row), userId, 'requested_changes', 'requested changes');
    await service.tell(tx, 'merge_request.updated', changed, userId);
  }

  return {
    mayReview,

    /** Has people who review it look once more: what they said or approved before counts no longer. */
    async requestAgain({ noteable }: Place, caller: Caller, userIds: readonly number[]): Promise<void> {
      const { user } = caller;
      if (!user) throw unauthorized();
      if (userIds.length === 0) return;
      await transaction(db, async (tx) => {
        const row = noteable.id === null ? undefined : await requests.lockById(tx, noteable.id);
        if (row?.state !== 'opened') throw forbidden();
        const current: number[] = [];
        for (const userId of userIds) {
          if (!(await resetReview(tx, row.id, userId))) continue;
          await deleteApproval(tx, row.id, userId);
          await createTodo(tx, { userId, authorId: user.id, noteable, action: 'review_requested' });
          current.push(userId);
        }
        if (current.length === 0) return;
        const reviewer = { previous: [], current };
        await notePeople(tx, row, 'reviewer', reviewer, user.id);
        const changed = await requests.updateRow(tx, row.id, {});
        await service.tell(tx, 'merge_request.updated', changed, user.id, row, { people: { reviewer } });
      });
    },

    async publishOne(place: Place, caller: Caller, owner: DraftOwner, id: number): Promise<void> {
      const apply = await transaction(db, async (tx) => {
        const [draft] = await takeDrafts(tx, owner, id);
        if (!draft) throw notFound('Draft Note');
        const actions = await publish(tx, place, caller, draft);
        await recordReview(tx, owner.mergeRequestId, owner.authorId, 'reviewed');
        return actions;
      });
      await apply();
    },

    /** All of it, or nothing: what cannot be approved publishes nothing. 403 for who may not request changes. */
    async submit(place: Place, caller: Caller, review: Review): Promise<void> {
      const { user } = caller;
      const { subject } = place;
      if (!user) throw unauthorized();
      const row = place.noteable.id === null ? null : await requests.byId(db, place.noteable.id);
      if (!row || subject.kind !== 'project') throw recordNotFound();
      const { id } = row;
      const { reviewer_state: outcome, note } = review;
      if (outcome === 'requested_changes' && !(await mayReview(subject, caller, row))) throw forbidden();
      let actions: (() => Promise<unknown>)[] = [];
      async function publishAll(tx: Db, author: User): Promise<void> {
        actions = [];
        const drafts = await takeDrafts(tx, { mergeRequestId: id, authorId: author.id });
        for (const draft of drafts) actions.push(await publish(tx, place, caller, draft));
        if (note !== undefined) {
          const { text: body, apply } = noteables.quickActions.extracted(place, caller, note);
          if (body !== '') await noteables.notesIn(tx).create(place, caller, { body, kind: null });
          actions.push(apply);
        }
        if (drafts.length > 0 || note !== undefined || outcome === 'reviewed')
          await recordReview(tx, id, author.id, 'reviewed');
      }
      if (outcome === 'approved')
        await approvals.approve(subject, caller, row.iid, review, (tx) => publishAll(tx, user));
      else
        await transaction(db, async (tx) => {
          await publishAll(tx, user);
          if (outcome === 'requested_changes') await requestChanges(tx, id, user.id);
        });
      for (const apply of actions) await apply();
    },
  };
}

export type ReviewService = ReturnType<typeof reviewService>;
