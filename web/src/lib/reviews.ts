/** Reviews of a merge request: comments that are written now and published together, with an outcome. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';
import type { LinePosition } from './comments.ts';

const of = (id: string, iid: number) => ({ path: { id, merge_request_iid: iid } });
const keyOf = (id: string, iid: number) => ['project', id, 'merge-request', iid];

export type ReviewerState = Schemas['MergeRequestReviewer']['state'];
export type ReviewOutcome = 'reviewed' | 'approved' | 'requested_changes';

/** How far a reviewer is, in words. */
export const reviewerStates: Readonly<Record<ReviewerState, string>> = {
  unreviewed: 'Review requested',
  reviewed: 'Commented',
  requested_changes: 'Requested changes',
  approved: 'Approved',
  unapproved: 'Approval revoked',
};

export const reviewersOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: [...keyOf(id, iid), 'reviewers'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/merge_requests/{merge_request_iid}/reviewers', { params: of(id, iid) })),
  });

/** Asks a reviewer for another review, with a quick action; refusals are told. */
export async function requestAgain(id: string, iid: number, username: string): Promise<void> {
  const answer = await unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/notes', {
      params: of(id, iid),
      body: { body: `/request_review @${username}` },
    }),
  );
  if (answer.summary && Object.keys(answer.commands_changes ?? {}).length === 0)
    throw new Error(answer.summary.join(' '));
}

/** The version that the caller reviewed last; all null before they did. */
export const lastReviewOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: [...keyOf(id, iid), 'last-review'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/merge_requests/{merge_request_iid}/last_review', { params: of(id, iid) })),
  });

export type DraftNote = Schemas['DraftNote'];

export const draftsOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: [...keyOf(id, iid), 'draft-notes'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/draft_notes', {
          params: { ...of(id, iid), query: { per_page: 100 } },
        }),
      ),
  });

/** A comment that is published with the review: on a line, as a reply, or on the whole. */
export const addDraft = (id: string, iid: number, note: string, at: { position?: LinePosition; reply?: string } = {}) =>
  unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/draft_notes', {
      params: of(id, iid),
      body: {
        note,
        ...(at.position ? { position: at.position } : {}),
        ...(at.reply ? { in_reply_to_discussion_id: at.reply } : {}),
      },
    }),
  );

export const editDraft = (id: string, iid: number, draft: number, note: string) =>
  unwrap(
    client.PUT('/projects/{id}/merge_requests/{merge_request_iid}/draft_notes/{draft_note_id}', {
      params: { path: { ...of(id, iid).path, draft_note_id: draft } },
      body: { note },
    }),
  );

export const removeDraft = (id: string, iid: number, draft: number) =>
  unwrap(
    client.DELETE('/projects/{id}/merge_requests/{merge_request_iid}/draft_notes/{draft_note_id}', {
      params: { path: { ...of(id, iid).path, draft_note_id: draft } },
    }),
  );

export const submitReview = (
  id: string,
  iid: number,
  review: { note: string; outcome: ReviewOutcome; password: string; sha: string | null },
) =>
  unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/draft_notes/bulk_publish', {
      params: of(id, iid),
      body: {
        reviewer_state: review.outcome,
        ...(review.note.trim() ? { note: review.note } : {}),
        ...(review.password ? { approval_password: review.password } : {}),
        ...(review.sha && review.outcome === 'approved' ? { sha: review.sha } : {}),
      },
    }),
  );

/** Lets the request be merged despite the changes that somebody has requested. */
export const bypassRequestedChanges = (id: string, iid: number) =>
  unwrap(
    client.PUT('/projects/{id}/merge_requests/{merge_request_iid}', {
      params: of(id, iid),
      body: { override_requested_changes: true },
    }),
  );

/** Does not merge by itself any more. On a train it is taken off, and those behind it are tested again without it. */
export const cancelAutoMerge = (id: string, iid: number) =>
  unwrap(
    client.POST('/projects/{id}/merge_requests/{merge_request_iid}/cancel_merge_when_pipeline_succeeds', {
      params: of(id, iid),
    }),
  );

/** In one commit. */
export const applySuggestions = (ids: readonly number[]) =>
  unwrap(client.PUT('/suggestions/batch_apply', { params: {}, body: { ids: [...ids] } }));
