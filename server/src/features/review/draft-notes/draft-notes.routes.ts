/** Routes of draft notes: one's own comments on a merge request, written now and published together. */
import Type, { type Static } from 'typebox';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Noteables } from '../../collaboration/index.ts';
import {
  invalidNote,
  type NoteableKind,
  notesOf,
  type Place,
  PositionParam,
  positionOf,
} from '../../collaboration/notes/index.ts';
import { type ReviewService, reviewStates } from '../reviews/reviews.service.ts';
import { DraftNoteEntity, draftNoteJson } from './draft-notes.entity.ts';
import {
  countDrafts,
  type DraftOwner,
  findDraft,
  insertDraft,
  listDrafts,
  takeDrafts,
  updateDraft,
} from './draft-notes.queries.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Merge requests',
  access: { on: 'project', ability: 'create_merge_request_note' },
} as const;
const base = '/projects/:id/merge_requests/:merge_request_iid/draft_notes';
const one = `${base}/:draft_note_id`;
const parent = {
  id: IdOrPath('Id or path of the project'),
  merge_request_iid: Int({ description: 'Internal id of the merge request' }),
};
const single = { ...parent, draft_note_id: Int({ description: 'Id of the draft note' }) };
const position = Optional(PositionParam);

interface Dependencies {
  readonly db: Db;
  readonly noteables: Noteables;
  /** Merge requests, as something that people discuss. */
  readonly kind: NoteableKind;
  readonly reviews: Pick<ReviewService, 'submit' | 'publishOne'>;
}

const longest = 1_000_000;

function checkText(text: string | undefined): void {
  if (text === undefined) return;
  if (text.trim() === '') throw invalidNote('note', "can't be blank");
  if (text.length > longest) throw invalidNote('note', `is too long (maximum is ${longest} characters)`);
}

export function draftNoteRoutes({ db, noteables, kind, reviews }: Dependencies): Route[] {
  /** The merge request, and whose drafts are asked for: always the caller's own. */
  async function placeOf(subject: ProjectSubject, caller: Caller, params: { readonly merge_request_iid: number }) {
    if (!caller.user) throw unauthorized();
    const place = await kind.load(subject, params, caller);
    const owner: DraftOwner = { mergeRequestId: place.noteable.id ?? 0, authorId: caller.user.id };
    return { place, owner };
  }

  async function positioned(place: Place, given: Static<typeof PositionParam> | undefined) {
    if (!given) return null;
    const found = await kind.positioned?.(place, positionOf(given, 'both'));
    return found ? { position: JSON.stringify(found.position), line_code: found.lineCode ?? null } : null;
  }

  /** The thread that a draft answers, and resolves if it says so: refused now, not when the draft is published. */
  async function requireThread(place: Place, caller: Caller, discussionId: string, resolve: boolean) {
    const notes = await notesOf(db, place.noteable, noteables.notes.reader(place, caller), [discussionId]);
    if (notes.length === 0) throw invalidRecord({ base: ['Thread to reply to cannot be found'] });
    if (resolve && !noteables.notes.mayResolve(place, caller, notes))
      throw invalidRecord({ base: ['User is not allowed to resolve thread'] });
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List your draft notes on a merge request',
      pagination: 'offset',
      params: Type.Object(parent),
      responses: { 200: ListOf(DraftNoteEntity) },
      handler: async ({ params, subject, caller, page }) => {
        const { owner } = await placeOf(subject, caller, params);
        const [rows, total] = await Promise.all([listDrafts(db, owner, page), countDrafts(db, owner)]);
        return mapPage(offsetPage(page, rows, total), draftNoteJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: one,
      summary: 'Get a draft note of yours on a merge request',
      params: Type.Object(single),
      responses: { 200: DraftNoteEntity },
      handler: async ({ params, subject, caller }) => {
        const { owner } = await placeOf(subject, caller, params);
        const draft = await findDraft(db, owner, params.draft_note_id);
        if (!draft) throw notFound('Draft Note');
        return draftNoteJson(draft);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Create a draft note on a merge request',
      rate: 'notes_create',
      params: Type.Object({
        ...parent,
        note: Str({ description: 'Text, in Markdown' }),
        commit_id: Optional(
          Str({
            pattern: '^([0-9a-f]{40}|undefined)$',
            description: 'Commit in which the line is; `undefined` is none, as some clients send it',
          }),
        ),
        in_reply_to_discussion_id: Optional(
          Str({ minLength: 1, maxLength: 64, description: 'Thread that it replies to' }),
        ),
        resolve_discussion: Optional(Bool({ description: 'Whether publishing it resolves the thread' })),
        position,
      }),
      responses: { 201: DraftNoteEntity },
      handler: async ({ params, subject, caller }) => {
        const { place, owner } = await placeOf(subject, caller, params);
        checkText(params.note);
        const { in_reply_to_discussion_id: thread = null } = params;
        const commit_id = params.commit_id === 'undefined' ? null : (params.commit_id ?? null);
        if (thread !== null) await requireThread(place, caller, thread, params.resolve_discussion ?? false);
        const at = thread === null ? await positioned(place, params.position) : null;
        const draft = await insertDraft(db, owner, {
          discussion_id: thread,
          resolve_discussion: params.resolve_discussion ?? false,
          commit_id,
          body: params.note,
          position: at?.position ?? null,
          line_code: at?.line_code ?? null,
        });
        return draftNoteJson(draft);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: one,
      summary: 'Update a draft note of yours on a merge request',
      params: Type.Object({ ...single, note: Optional(Str({ description: 'Text, in Markdown' })), position }),
      responses: { 200: DraftNoteEntity },
      handler: async ({ params, subject, caller }) => {
        const { place, owner } = await placeOf(subject, caller, params);
        checkText(params.note);
        const found = await findDraft(db, owner, params.draft_note_id);
        if (!found) throw notFound('Draft Note');
        const at = found.discussion_id === null ? await positioned(place, params.position) : null;
        const draft = await updateDraft(db, owner, found.id, {
          ...(params.note === undefined ? {} : { body: params.note }),
          ...(at ?? {}),
        });
        if (!draft) throw notFound('Draft Note');
        return draftNoteJson(draft);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: one,
      summary: 'Delete a draft note of yours on a merge request',
      params: Type.Object(single),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const { owner } = await placeOf(subject, caller, params);
        const draft = await findDraft(db, owner, params.draft_note_id);
        if (!draft) throw notFound('Draft Note');
        unmodifiedSince(draft.updated_at);
        if ((await takeDrafts(db, owner, params.draft_note_id)).length === 0) throw notFound('Draft Note');
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${one}/publish`,
      summary: 'Publish a draft note of yours on a merge request',
      rate: 'notes_create',
      params: Type.Object(single),
      responses: { 204: Empty },
      errors: [404],
      handler: async ({ params, subject, caller }) => {
        const { place, owner } = await placeOf(subject, caller, params);
        await reviews.publishOne(place, caller, owner, params.draft_note_id);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}/bulk_publish`,
      summary: 'Publish all your draft notes on a merge request and submit the review',
      rate: 'notes_create',
      params: Type.Object({
        ...parent,
        note: Optional(Str({ description: 'Summary of the review, in Markdown; becomes a comment' })),
        reviewer_state: Optional(
          OneOf(reviewStates, {
            description: 'Outcome of the review: comments alone, a request for changes, or an approval',
          }),
        ),
        approval_password: Optional(
          Str({ maxLength: 128, description: 'Password of the caller, where approving asks for it' }),
        ),
        sha: Optional(Str({ description: 'Must be the head of the source branch, to approve' })),
      }),
      responses: { 204: Empty },
      errors: [409],
      handler: async ({ params, subject, caller }) => {
        const { place } = await placeOf(subject, caller, params);
        checkText(params.note);
        await reviews.submit(place, caller, params);
      },
    }),
  ];
}
