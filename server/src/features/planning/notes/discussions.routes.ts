/** The API of threads: the same eight operations for everything that people discuss. */
import Type, { type Static, type TProperties } from 'typebox';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note as NoteRow } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { invalidParameters, notFound } from '../../../kernel/http/errors.ts';
import { offsetPage, withItems } from '../../../kernel/http/pagination.ts';
import { DateTimeParam, Float, IdOrPath, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { Discussion, discussionsJson, Note, noteJson } from './notes.entity.ts';
import type { Noteable } from './notes.queries.ts';
import { listDiscussions, notesOf, withPeople } from './notes.queries.ts';
import type { NewNote, NoteService, Place } from './notes.service.ts';
import type { Position } from './positions.ts';

const lineEnd = (description: string) =>
  Optional(
    Type.Object(
      {
        line_code: Optional(Str({ description: 'What names the line' })),
        type: Optional(Str({ description: '`new` for an added line, `old` otherwise' })),
        old_line: Optional(Int({ description: 'Line before the change' })),
        new_line: Optional(Int({ description: 'Line after the change' })),
      },
      { description },
    ),
  );
const sha = (description: string) => Str({ minLength: 1, maxLength: 64, description });
const path = (description: string) => Optional(Str({ minLength: 1, maxLength: 4096, description }));
const number = (description: string) => Optional(Int({ minimum: 0, description }));

/** Where in a change a thread stands. */
const position = Type.Object(
  {
    base_sha: sha('Commit that the change is counted from'),
    start_sha: sha('Commit of the target'),
    head_sha: sha('Commit with the change'),
    position_type: OneOf(['text', 'image', 'file'], { description: 'What it is a place in' }),
    new_path: path('Path of the file after the change'),
    old_path: path('Path of the file before the change'),
    new_line: number('Line after the change'),
    old_line: number('Line before the change'),
    line_range: Optional(
      Type.Object(
        { start: lineEnd('The first of them'), end: lineEnd('The last of them') },
        { description: 'First and last of several lines' },
      ),
    ),
    width: number('Width of the picture'),
    height: number('Height of the picture'),
    x: Optional(Float({ description: 'Where in the picture, from the left' })),
    y: Optional(Float({ description: 'Where in the picture, from above' })),
  },
  { description: 'Place in the change' },
);

/** A position in the words in which it is kept and told. */
function positionOf(given: Static<typeof position>): Position {
  const { base_sha, start_sha, head_sha, position_type } = given;
  const refs = { base_sha, start_sha, head_sha, position_type };
  if (position_type === 'text' && (given.old_path === undefined || given.new_path === undefined))
    throw invalidParameters(
      ['old_path', 'new_path'].filter((name) => !(name in given)).map((name) => `position[${name}] is missing`),
    );
  const paths = { old_path: given.old_path ?? null, new_path: given.new_path ?? null };
  if (position_type === 'image') {
    const { width = null, height = null, x = null, y = null } = given;
    return { ...refs, ...paths, width, height, x, y };
  }
  if (position_type === 'file') return { ...refs, ...paths };
  const { old_line = null, new_line = null, line_range = null } = given;
  return { ...refs, ...paths, old_line, new_line, line_range };
}

/** What differs from one kind of thing to another. */
export interface DiscussedKind<P extends TProperties> {
  /** Below the project: `/repository/commits/:commit_id`. */
  readonly path: string;
  /** The parameters that name it. */
  readonly params: P;
  /** In sentences: `a commit`. */
  readonly noun: string;
  readonly tag: string;
  readonly read: ProjectAbility;
  readonly write: ProjectAbility;
  /** 404 where it is not there. */
  load(subject: ProjectSubject, params: Readonly<Record<string, unknown>>): Promise<Place>;
  /** The comment at a position; refuses one that is none of the change. */
  positioned(place: Place, position: Position): Promise<Pick<NewNote, 'position' | 'lineCode'>>;
}

export function discussionRoutes<P extends TProperties>(
  deps: { readonly db: Db; readonly externalUrl: string; readonly notes: NoteService },
  kind: DiscussedKind<P>,
): Route[] {
  const { db, externalUrl, notes } = deps;
  const base = `/projects/:id${kind.path}/discussions`;
  const one = `${base}/:discussion_id`;
  const parent = { id: IdOrPath('Id or path of the project'), ...kind.params };
  const thread = { ...parent, discussion_id: Str({ minLength: 1, maxLength: 64, description: 'Id of the thread' }) };
  const single = { ...thread, note_id: Int({ description: 'Id of the comment' }) };
  const body = Str({ description: 'Text of the comment, in Markdown' });
  const written = {
    body,
    created_at: Optional(
      DateTimeParam({ description: 'When it was written; only owners of the project and administrators set it' }),
    ),
  };
  const declared = { credentials: ['token', 'session'], tag: kind.tag } as const;
  const read = { on: 'project', ability: kind.read } as const;
  const write = { on: 'project', ability: kind.write } as const;
  const params = (properties: TProperties) => Type.Object(properties);
  type Given = Readonly<Record<string, unknown>> & {
    readonly discussion_id: string;
    readonly note_id: number;
    readonly body: string;
    readonly created_at?: Date;
    readonly position?: Static<typeof position>;
  };

  const iidOf = (noteable: Noteable) => (noteable.type === 'commit' ? null : noteable.iid);
  const loaded = (rows: readonly NoteRow[], { noteable }: Place) => withPeople(db, rows, iidOf(noteable));
  async function discussion(place: Place, id: string) {
    const rows = await notesOf(db, place.noteable, [id]);
    const [found] = discussionsJson([id], await loaded(rows, place), externalUrl);
    if (!found) throw notFound('Discussion');
    return found;
  }
  async function note(place: Place, row: NoteRow) {
    const [found] = await loaded([row], place);
    if (!found) throw notFound('Note');
    return noteJson(found, externalUrl);
  }

  return [
    route({
      ...declared,
      method: 'GET',
      path: base,
      summary: `Threads about ${kind.noun}`,
      access: read,
      pagination: 'offset',
      params: params(parent),
      responses: { 200: ListOf(Discussion) },
      handler: async ({ params, subject, page }) => {
        const place = await kind.load(subject, params);
        const { ids, total } = await listDiscussions(db, place.noteable, page);
        const paged = offsetPage(page, ids, total);
        const rows = await notesOf(db, place.noteable, paged.items);
        return withItems(paged, discussionsJson(paged.items, await loaded(rows, place), externalUrl));
      },
    }),
    route({
      ...declared,
      method: 'GET',
      path: one,
      summary: `A thread about ${kind.noun}`,
      access: read,
      params: params(thread),
      responses: { 200: Discussion },
      handler: async ({ params, subject }) =>
        await discussion(await kind.load(subject, params), (params as Given).discussion_id),
    }),
    route({
      ...declared,
      method: 'POST',
      path: base,
      summary: `Begin a thread about ${kind.noun}`,
      access: write,
      rate: 'notes_create',
      params: params({ ...parent, ...written, position: Optional(position) }),
      responses: { 201: Discussion },
      handler: async ({ params, subject, caller }) => {
        const given = params as Given;
        const place = await kind.load(subject, params);
        const at = given.position ? await kind.positioned(place, positionOf(given.position)) : {};
        const made = await notes.create(place, caller, {
          body: given.body,
          kind: given.position ? 'diff' : 'discussion',
          createdAt: given.created_at,
          ...at,
        });
        return await discussion(place, made.discussion_id);
      },
    }),
    route({
      ...declared,
      method: 'POST',
      path: `${one}/notes`,
      summary: `Add to a thread about ${kind.noun}`,
      access: write,
      rate: 'notes_create',
      params: params({ ...thread, ...written }),
      responses: { 201: Note },
      handler: async ({ params, subject, caller }) => {
        const given = params as Given;
        const place = await kind.load(subject, params);
        const reply = { body: given.body, createdAt: given.created_at };
        return await note(place, await notes.reply(place, caller, given.discussion_id, reply));
      },
    }),
    route({
      ...declared,
      method: 'GET',
      path: `${one}/notes`,
      summary: `Comments of a thread about ${kind.noun}`,
      access: read,
      params: params(thread),
      responses: { 200: ListOf(Note) },
      handler: async ({ params, subject }) =>
        (await discussion(await kind.load(subject, params), (params as Given).discussion_id)).notes,
    }),
    route({
      ...declared,
      method: 'GET',
      path: `${one}/notes/:note_id`,
      summary: `A comment of a thread about ${kind.noun}`,
      access: read,
      params: params(single),
      responses: { 200: Note },
      handler: async ({ params, subject }) => {
        const given = params as Given;
        const place = await kind.load(subject, params);
        return await note(place, await notes.find(place.noteable, given.discussion_id, given.note_id));
      },
    }),
    route({
      ...declared,
      method: 'PUT',
      path: `${one}/notes/:note_id`,
      summary: `Change a comment about ${kind.noun}`,
      access: write,
      params: params({ ...single, body }),
      responses: { 200: Note },
      handler: async ({ params, subject, caller }) => {
        const given = params as Given;
        const place = await kind.load(subject, params);
        const found = await notes.find(place.noteable, given.discussion_id, given.note_id);
        return await note(place, await notes.edit(place, caller, found, given.body));
      },
    }),
    route({
      ...declared,
      method: 'DELETE',
      path: `${one}/notes/:note_id`,
      summary: `Remove a comment about ${kind.noun}`,
      access: write,
      params: params(single),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const given = params as Given;
        const place = await kind.load(subject, params);
        const found = await notes.find(place.noteable, given.discussion_id, given.note_id);
        unmodifiedSince(found.updated_at);
        await notes.remove(place, caller, found);
      },
    }),
  ];
}
