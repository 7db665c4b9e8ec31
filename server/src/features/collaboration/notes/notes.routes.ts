/** The API of comments one by one: the same operations for every kind of thing that people comment on. */
import Type, { type TProperties } from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Bool, OneOf, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { type TaskChange, TaskParam } from '../tasks/index.ts';
import {
  commandsOnly,
  declarations,
  type NoteRouteDependencies,
  notePresenter,
  valuesOf,
  withChanges,
} from './declarations.ts';
import type { NoteableKind } from './kinds.ts';
import { AppliedCommands, Note } from './notes.entity.ts';
import { type Activity, listNotes, type NoteOrder } from './notes.queries.ts';
import { invalidNote } from './notes.service.ts';

const declared = { credentials: ['token', 'session'], tag: 'Notes' } as const;
const readersAndJobs = ['token', 'session', 'job'] as const;
const params = (properties: TProperties) => Type.Object(properties);

const list = {
  order_by: Optional(
    OneOf(['created_at', 'updated_at'], { default: 'created_at', description: 'What the comments are ordered by' }),
  ),
  sort: Optional(OneOf(['asc', 'desc'], { default: 'desc', description: 'Oldest or newest first' })),
  activity_filter: Optional(
    OneOf(['all_notes', 'only_comments', 'only_activity'], {
      default: 'all_notes',
      description: 'Comments of users, system notes, or both',
    }),
  ),
  render_html: Optional(Bool({ description: 'Also give the comments as HTML' })),
};

interface Values {
  readonly note_id: number;
  readonly body: string;
  readonly created_at?: Date;
  readonly internal?: boolean;
  readonly confidential?: boolean;
  readonly order_by?: NoteOrder['by'];
  readonly sort?: NoteOrder['sort'];
  readonly activity_filter?: Activity;
  readonly render_html?: boolean;
  readonly update_task?: TaskChange;
}

export function noteRoutes(deps: NoteRouteDependencies, kind: NoteableKind): Route[] {
  const { db, notes } = deps;
  const { base, parent, read, write, body, written, internal, noteId, place } = declarations(kind);
  const reading = { ...declared, credentials: kind.jobTokens ? readersAndJobs : declared.credentials } as const;
  const shown = notePresenter(deps, kind);
  const single = { ...parent, ...noteId };

  return [
    route({
      ...reading,
      method: 'GET',
      path: `${base}/notes`,
      summary: `List comments on ${kind.noun}`,
      access: read,
      pagination: 'offset',
      params: params({ ...parent, ...list }),
      responses: { 200: ListOf(Note) },
      handler: async (context) => {
        const given = valuesOf<Values>(context);
        const { order_by: by = 'created_at', sort = 'desc', activity_filter: activity } = given;
        const at = await place(context);
        const reader = notes.reader(at, context.caller);
        const found = await listNotes(db, at.noteable, reader, context.page, { by, sort }, activity);
        const paged = offsetPage(context.page, found.rows, found.total);
        const items = await shown.many(paged.items);
        return withItems(paged, given.render_html ? await shown.withHtml(items, at, context.caller) : items);
      },
    }),
    route({
      ...reading,
      method: 'GET',
      path: `${base}/notes/:note_id`,
      summary: `Get a comment on ${kind.noun}`,
      access: read,
      params: params(single),
      responses: { 200: Note },
      handler: async (context) => {
        const { note_id } = valuesOf<Values>(context);
        return await shown.one(await notes.find(await place(context), context.caller, note_id));
      },
    }),
    route({
      ...declared,
      method: 'POST',
      path: `${base}/notes`,
      summary: `Comment on ${kind.noun}`,
      access: write,
      rate: 'notes_create',
      params: params({ ...parent, ...written, ...internal }),
      responses: { 201: Note, 202: AppliedCommands },
      handler: async (context) => {
        const given = valuesOf<Values>(context);
        const { caller } = context;
        const at = await place(context);
        const { note, applied } = await deps.quickActions.comment(at, caller, given.body, (text) =>
          notes.create(at, caller, {
            body: text,
            kind: null,
            createdAt: given.created_at,
            internal: given.internal ?? given.confidential,
          }),
        );
        // Written or not: clients of the ecosystem learn from the status alone that a command was refused.
        if (applied && applied.failure !== null) throw invalidNote('validation', applied.failure);
        return note ? withChanges(await shown.one(note, caller.user), applied) : commandsOnly(applied);
      },
    }),
    route({
      ...declared,
      method: 'PUT',
      path: `${base}/notes/:note_id`,
      summary: `Update a comment on ${kind.noun}`,
      access: write,
      params: params({ ...single, body: Optional(body), update_task: TaskParam }),
      responses: { 200: Note, 202: AppliedCommands },
      errors: [409],
      handler: async (context) => {
        const { note_id, body: text, update_task: task } = valuesOf<Partial<Values>>(context);
        if (note_id === undefined || (text === undefined && task === undefined))
          throw invalidParameters(['body is missing']);
        if (text !== undefined && task !== undefined)
          throw invalidParameters(['body, update_task are mutually exclusive']);
        const at = await place(context);
        const found = await notes.find(at, context.caller, note_id);
        if (task !== undefined) return await shown.one(await notes.edit(at, context.caller, found, task));
        const { note, applied } = await deps.quickActions.edit(at, context.caller, found, text ?? '');
        return note ? withChanges(await shown.one(note), applied) : commandsOnly(applied);
      },
    }),
    route({
      ...declared,
      method: 'DELETE',
      path: `${base}/notes/:note_id`,
      summary: `Delete a comment on ${kind.noun}`,
      access: write,
      params: params(single),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { note_id } = valuesOf<Values>(context);
        const at = await place(context);
        const found = await notes.find(at, context.caller, note_id);
        context.unmodifiedSince(found.updated_at);
        await notes.remove(at, context.caller, found);
      },
    }),
  ];
}
