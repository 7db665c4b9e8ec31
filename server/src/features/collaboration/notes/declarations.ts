/** What the routes of a kind have in common: where they are, who may call them, and how comments are shown. */
import type { TProperties } from 'typebox';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note as NoteRow } from '../../../kernel/db/rows.ts';
import { notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { Bool, DateTimeParam, IdOrPath, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { type Access, answer, type Context } from '../../../kernel/http/route.ts';
import { baseOf, type Markdown } from '../../../kernel/markdown/index.ts';
import { findReferences, type ReferenceRow, userReference } from '../../identity/index.ts';
import { type Applied, requireSomething } from '../quick-actions/applied.ts';
import type { QuickActions } from '../quick-actions/index.ts';
import type { NoteableKind, Place } from './kinds.ts';
import { type DiscussionJson, discussionsJson, type LoadedNote, type NoteJson, noteJson } from './notes.entity.ts';
import { notesOf, withPeople } from './notes.queries.ts';
import type { NoteService } from './notes.service.ts';
import { reactionsTo } from './reactions.queries.ts';

export interface NoteRouteDependencies {
  readonly db: Db;
  readonly externalUrl: string;
  readonly notes: NoteService;
  readonly markdown: Pick<Markdown, 'html'>;
  readonly quickActions: Pick<QuickActions, 'comment' | 'edit'>;
}

/** Values of a request as the schemas of these routes promise them; the parameters of the kind are its own. */
export const valuesOf = <T>({ params }: Pick<Context, 'params'>): T => params as unknown as T;

export function declarations(kind: NoteableKind) {
  const access = (ability: 'read' | 'write') => ({ on: kind.on, ability: kind.abilities[ability] }) as Access;
  const body = Str({ description: 'Text of the comment, in Markdown' });
  const flag = (description: string, doc: object = {}) => Optional(Bool({ description, ...doc }));
  return {
    base: `/${kind.on}s/:id${kind.path}`,
    parent: { id: IdOrPath(`Id or path of the ${kind.on}`), ...kind.params } satisfies TProperties,
    read: access('read'),
    write: access('write'),
    body,
    written: {
      body,
      created_at: Optional(
        DateTimeParam({ description: `When it was written; only owners of the ${kind.on} and administrators set it` }),
      ),
    },
    internal: (kind.abilities.internal === null
      ? {}
      : {
          internal: flag('Whether only members from planners and reporters on read it'),
          confidential: flag('Use `internal`', { deprecated: true }),
        }) as TProperties,
    noteId: { note_id: Int({ description: 'Id of the comment' }) },
    discussionId: { discussion_id: Str({ minLength: 1, maxLength: 64, description: 'Id of the thread' }) },
    place: ({ subject, params, caller }: Pick<Context, 'subject' | 'params' | 'caller'>): Promise<Place> => {
      if (!subject) throw notFound();
      return kind.load(subject, params as Readonly<Record<string, unknown>>, caller);
    },
  };
}

/** What commands in a comment changed, for its answer. */
const reported = ({ changes, summary }: Applied) => ({ commands_changes: { ...changes }, summary: [...summary] });

/** 202 with what the commands did, where a comment is made of nothing else; 400 where all that came of it is a refusal. */
export function commandsOnly(applied: Applied | null) {
  if (applied) requireSomething(applied);
  return answer(202, applied ? reported(applied) : { commands_changes: {}, summary: [] });
}

/** The comment as written, with what became of its commands. */
export const withChanges = (note: NoteJson, applied: Applied | null): NoteJson =>
  applied ? { ...note, ...reported(applied) } : note;

export function notePresenter(
  { db, externalUrl, notes, markdown }: Omit<NoteRouteDependencies, 'quickActions'>,
  kind: Pick<NoteableKind, 'suggestions'>,
) {
  async function loaded(rows: readonly NoteRow[], author: ReferenceRow | null = null): Promise<LoadedNote[]> {
    const [all, proposed] = await Promise.all([withPeople(db, rows, author), kind.suggestions?.(rows)]);
    return all.map((note) =>
      proposed && note.row.kind === 'diff' ? { ...note, suggestions: proposed.get(note.row.id) ?? [] } : note,
    );
  }
  async function many(rows: readonly NoteRow[]): Promise<NoteJson[]> {
    return (await loaded(rows)).map((each) => noteJson(each, externalUrl));
  }
  /** `author` is known where the comment has just been written. */
  async function one(row: NoteRow, author: ReferenceRow | null = null): Promise<NoteJson> {
    const [found] = await loaded([row], author);
    if (!found) throw recordNotFound();
    return noteJson(found, externalUrl);
  }
  /** Threads with their comments, in the order of the ids. */
  async function discussions(place: Place, caller: Caller, ids: readonly string[]): Promise<DiscussionJson[]> {
    const rows = await notesOf(db, place.noteable, notes.reader(place, caller), ids);
    return discussionsJson(ids, await loaded(rows), externalUrl);
  }
  async function discussion(place: Place, caller: Caller, id: string): Promise<DiscussionJson> {
    const [found] = await discussions(place, caller, [id]);
    if (!found) throw notFound('Discussion');
    return found;
  }
  /** Reactions by comment, in the order in which they came. */
  async function reactions(shown: readonly NoteJson[]) {
    const rows = await reactionsTo(
      db,
      shown.map(({ id }) => id),
    );
    const people = await findReferences(db, [...new Set(rows.map(({ user_id }) => user_id))]);
    return Map.groupBy(
      rows.flatMap(({ id, name, note_id, user_id }) => {
        const user = people.get(user_id);
        return user ? [{ note: note_id, json: { id, name, user: userReference(user, externalUrl) } }] : [];
      }),
      ({ note }) => note,
    );
  }
  /** The same with the text as HTML and with reactions; relative links are of the commit that is discussed. */
  async function withHtml(shown: readonly NoteJson[], { subject, noteable }: Place, caller: Caller) {
    const base = subject.kind === 'project' ? baseOf(subject, noteable.commitId) : baseOf(subject, null);
    const reacted = await reactions(shown);
    return await Promise.all(
      shown.map(async (each) => ({
        ...each,
        body_html: await markdown.html(each.body, { caller, base }),
        award_emoji: (reacted.get(each.id) ?? []).map(({ json }) => json),
      })),
    );
  }
  return { many, one, discussions, discussion, withHtml };
}
