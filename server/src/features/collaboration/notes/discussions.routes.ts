/** The API of threads: the same operations for every kind of thing that people discuss. */
import Type, { type Static, type TProperties } from 'typebox';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
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
import { AppliedCommands, Discussion, Note } from './notes.entity.ts';
import { listDiscussions } from './notes.queries.ts';
import { PositionParam, positionOf } from './positions.params.ts';

const tag = 'Discussions';
const declared = { credentials: ['token', 'session'], tag } as const;
const html = Optional(Bool({ description: 'Also give the comments as HTML, and the reactions to them' }));
const params = (properties: TProperties) => Type.Object(properties);

interface Values {
  readonly discussion_id: string;
  readonly note_id: number;
  readonly body?: string;
  readonly created_at?: Date;
  readonly position?: Static<typeof PositionParam>;
  readonly commit_id?: string;
  readonly internal?: boolean;
  readonly confidential?: boolean;
  readonly resolved?: boolean;
  readonly update_task?: TaskChange;
  readonly render_html?: boolean;
}

export function discussionRoutes(deps: NoteRouteDependencies, kind: NoteableKind): Route[] {
  const { db, notes } = deps;
  const { base, parent, read, write, body, written, internal, discussionId, noteId, place } = declarations(kind);
  const shown = notePresenter(deps, kind);
  const all = `${base}/discussions`;
  const one = `${all}/:discussion_id`;
  const thread = { ...parent, ...discussionId };
  const single = { ...thread, ...noteId };
  const resolves = kind.abilities.resolve !== null;
  // Commits are what the path of their kind names.
  const ofCommit: TProperties =
    kind.positioned && !('commit_id' in kind.params)
      ? { commit_id: Optional(Str({ minLength: 1, maxLength: 64, description: 'Commit in which the line is' })) }
      : {};

  return [
    route({
      ...declared,
      method: 'GET',
      path: all,
      summary: `List threads on ${kind.noun}`,
      access: read,
      pagination: 'offset',
      params: params({ ...parent, render_html: html }),
      responses: { 200: ListOf(Discussion) },
      handler: async (context) => {
        const { page, caller } = context;
        const at = await place(context);
        const { ids, total } = await listDiscussions(db, at.noteable, notes.reader(at, caller), page);
        const paged = offsetPage(page, ids, total);
        const threads = await shown.discussions(at, caller, paged.items);
        if (!valuesOf<Values>(context).render_html) return withItems(paged, threads);
        const all = await shown.withHtml(
          threads.flatMap((each) => each.notes),
          at,
          caller,
        );
        const byId = new Map(all.map((each) => [each.id, each]));
        return withItems(
          paged,
          threads.map((each) => ({ ...each, notes: each.notes.map((note) => byId.get(note.id) ?? note) })),
        );
      },
    }),
    route({
      ...declared,
      method: 'GET',
      path: one,
      summary: `Get a thread on ${kind.noun}`,
      access: read,
      params: params(thread),
      responses: { 200: Discussion },
      handler: async (context) =>
        await shown.discussion(await place(context), context.caller, valuesOf<Values>(context).discussion_id),
    }),
    route({
      ...declared,
      method: 'POST',
      path: all,
      summary: `Create a thread on ${kind.noun}`,
      access: write,
      rate: 'notes_create',
      params: params({
        ...parent,
        ...written,
        ...internal,
        ...ofCommit,
        ...(kind.positioned ? { position: Optional(PositionParam) } : {}),
      }),
      responses: { 201: Discussion, 202: AppliedCommands },
      handler: async (context) => {
        const given = valuesOf<Values>(context);
        const at = await place(context);
        const position = given.position ? await kind.positioned?.(at, positionOf(given.position)) : undefined;
        const { note, applied } = await deps.quickActions.comment(at, context.caller, given.body ?? '', (text) =>
          notes.create(at, context.caller, {
            body: text,
            kind: position ? 'diff' : 'discussion',
            createdAt: given.created_at,
            internal: given.internal ?? given.confidential,
            ...(position ?? {}),
            ...(position && 'commit_id' in ofCommit ? { commitId: given.commit_id } : {}),
          }),
        );
        if (!note) return commandsOnly(applied);
        const begun = await shown.discussion(at, context.caller, note.discussion_id);
        return { ...begun, notes: begun.notes.map((each) => withChanges(each, applied)) };
      },
    }),
    ...(resolves
      ? [
          route({
            ...declared,
            method: 'PUT',
            path: one,
            summary: `Resolve or reopen a thread on ${kind.noun}`,
            access: read,
            params: params({ ...thread, resolved: Bool({ description: 'Whether it is resolved' }) }),
            responses: { 200: Discussion },
            handler: async (context) => {
              const { discussion_id: id, resolved = false } = valuesOf<Values>(context);
              const at = await place(context);
              await notes.resolveDiscussion(at, context.caller, id, resolved);
              return await shown.discussion(at, context.caller, id);
            },
          }),
        ]
      : []),
    route({
      ...declared,
      method: 'POST',
      path: `${one}/notes`,
      summary: `Reply to a thread on ${kind.noun}`,
      access: write,
      rate: 'notes_create',
      params: params({
        ...thread,
        ...written,
        note_id: Optional(Int({ description: 'Comment of the thread that is replied to' })),
      }),
      responses: { 201: Note, 202: AppliedCommands },
      handler: async (context) => {
        const given = valuesOf<Values>(context);
        const at = await place(context);
        if (given.note_id !== undefined) await notes.find(at, context.caller, given.note_id, given.discussion_id);
        const { note, applied } = await deps.quickActions.comment(at, context.caller, given.body ?? '', (text) =>
          notes.reply(at, context.caller, given.discussion_id, { body: text, createdAt: given.created_at }),
        );
        return note ? withChanges(await shown.one(note), applied) : commandsOnly(applied);
      },
    }),
    route({
      ...declared,
      method: 'GET',
      path: `${one}/notes`,
      summary: `List comments of a thread on ${kind.noun}`,
      access: read,
      params: params(thread),
      responses: { 200: ListOf(Note) },
      handler: async (context) => {
        const { discussion_id: id } = valuesOf<Values>(context);
        return (await shown.discussion(await place(context), context.caller, id)).notes;
      },
    }),
    route({
      ...declared,
      method: 'GET',
      path: `${one}/notes/:note_id`,
      summary: `Get a comment of a thread on ${kind.noun}`,
      access: read,
      params: params(single),
      responses: { 200: Note },
      handler: async (context) => {
        const { discussion_id: id, note_id } = valuesOf<Values>(context);
        return await shown.one(await notes.find(await place(context), context.caller, note_id, id));
      },
    }),
    route({
      ...declared,
      method: 'PUT',
      path: `${one}/notes/:note_id`,
      summary: resolves
        ? `Update, resolve or reopen a comment of a thread on ${kind.noun}`
        : `Update a comment of a thread on ${kind.noun}`,
      // Those who commented change their own, those who made the thing resolve.
      access: read,
      params: params({
        ...single,
        body: Optional(body),
        update_task: TaskParam,
        ...(resolves ? { resolved: Optional(Bool({ description: 'Whether it is resolved' })) } : {}),
      }),
      responses: { 200: Note, 202: AppliedCommands },
      errors: [409],
      handler: async (context) => {
        const { discussion_id: id, note_id, body: text, resolved, update_task: task } = valuesOf<Values>(context);
        const given = Object.entries({ body: text, resolved, update_task: task }).filter(
          ([, value]) => value !== undefined,
        );
        if (given.length === 0)
          throw invalidParameters([
            resolves ? 'body, resolved are missing, exactly one parameter must be provided' : 'body is missing',
          ]);
        if (given.length > 1)
          throw invalidParameters([`${given.map(([name]) => name).join(', ')} are mutually exclusive`]);
        const at = await place(context);
        const found = await notes.find(at, context.caller, note_id, id);
        if (resolves && resolved !== undefined)
          return await shown.one(await notes.resolve(at, context.caller, found, resolved));
        if (task !== undefined) return await shown.one(await notes.edit(at, context.caller, found, task));
        const { note, applied } = await deps.quickActions.edit(at, context.caller, found, text ?? '');
        return note ? withChanges(await shown.one(note), applied) : commandsOnly(applied);
      },
    }),
    route({
      ...declared,
      method: 'DELETE',
      path: `${one}/notes/:note_id`,
      summary: `Delete a comment of a thread on ${kind.noun}`,
      access: write,
      params: params(single),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const { discussion_id: id, note_id } = valuesOf<Values>(context);
        const at = await place(context);
        const found = await notes.find(at, context.caller, note_id, id);
        context.unmodifiedSince(found.updated_at);
        await notes.remove(at, context.caller, found);
      },
    }),
  ];
}
