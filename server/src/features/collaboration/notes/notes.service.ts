/** Comments: what they must hold, who may write, change, resolve and remove them, and the facts that others hear of. */
import { randomBytes } from 'node:crypto';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, together, transaction } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import { noteFacts, recordFact } from '../../../kernel/events/index.ts';
import {
  badRequest,
  forbidden,
  notFound,
  printedReasons,
  recordNotFound,
  unauthorized,
} from '../../../kernel/http/errors.ts';
import { namesNothing } from '../../../kernel/markdown/index.ts';
import { type TaskChange, withTask } from '../tasks/index.ts';
import { columnsOf, may, mayComment, type Noteable, type NoteableKinds, type Place } from './kinds.ts';
import * as queries from './notes.queries.ts';
import type { Position } from './positions.ts';

export interface NewNote {
  readonly body: string;
  /** Null for a comment of its own; else one of a thread, on a line of a change with a position. */
  readonly kind: Note['kind'];
  readonly position?: Position;
  readonly lineCode?: string | null;
  /** The commit of a merge request that a line is commented in. */
  readonly commitId?: string | null | undefined;
  /** Only for those who read internal comments. */
  readonly internal?: boolean | undefined;
  /** Another time than now: for whoever owns the project or the group; others write now. */
  readonly createdAt?: Date | undefined;
}

export interface NoteService {
  create(place: Place, caller: Caller, note: NewNote): Promise<Note>;
  /** Adds to a thread; 404 where there is none, 400 for a comment of its own where that does not become a thread. */
  reply(place: Place, caller: Caller, discussionId: string, note: Pick<NewNote, 'body' | 'createdAt'>): Promise<Note>;
  /** A comment that the caller may read, of the thread where one is named; 404 where there is none. */
  find(place: Place, caller: Caller, id: number, discussionId?: string): Promise<Note>;
  /** Another text, or the same with one check box ticked or cleared. */
  edit(place: Place, caller: Caller, note: Note, change: string | TaskChange): Promise<Note>;
  /** Resolves a comment, or opens it again; 400 where it is none that is resolved. */
  resolve(place: Place, caller: Caller, note: Note, resolved: boolean): Promise<Note>;
  /** Whether the caller may resolve the thread of these comments; never where there is none. */
  mayResolve(place: Place, caller: Caller, notes: readonly Note[]): boolean;
  /** The same for all comments of a thread. */
  resolveDiscussion(place: Place, caller: Caller, discussionId: string, resolved: boolean): Promise<void>;
  remove(place: Place, caller: Caller, note: Note): Promise<void>;
  /** The same where the caller may not change a comment. */
  requireEdit(place: Place, caller: Caller, note: Note): void;
  /** 403, or 401 for strangers, where the caller may not comment. */
  requireComment(place: Place, caller: Caller): void;
  /** The caller as somebody who reads the comments of the place. */
  reader(place: Place, caller: Caller): queries.NoteReader;
}

/** What follows from new comments. */
export interface NoteHook {
  /** Asked before the transaction of one: in it, those whom the comment names have something to do. */
  named(
    place: Place,
    authorId: number,
    note: Pick<NewNote, 'body' | 'internal'>,
  ): Promise<(tx: Db, note: Note) => Promise<void>>;
  /** Whoever comments has acted. */
  acted(tx: Db, acts: readonly { readonly noteable: Noteable; readonly userId: number }[]): Promise<void>;
}

/** A comment that is ready to be written. */
interface ReadyNote {
  readonly place: Place;
  readonly values: queries.NewNote;
  named(tx: Db, note: Note): Promise<void>;
}

const longest = 1_000_000;

/** 400 in the ecosystem's words: `400 Bad request - Note {:note=>["can't be blank"]}`. */
export const invalidNote = (field: string, ...problems: readonly string[]) =>
  badRequest(`Note ${printedReasons({ [field]: problems })}`);

function checkBody(body: string): void {
  if (body.trim() === '') throw invalidNote('note', "can't be blank");
  // Characters as people count them, not as they are kept.
  if (body.length > longest && [...body].length > longest)
    throw invalidNote('note', `is too long (maximum is ${longest} characters)`);
}

/** Tells things of one kind apart. */
const thingOf = ({ projectId, id, commitId }: Noteable) => [projectId, id, commitId].join(' ');

/** Where an answer stands: at the lines of what it answers. */
function placeOfReply({ position, original_position, line_code, outdated }: Note) {
  const stored = (place: Note['position']) => (place === null ? null : JSON.stringify(place));
  return { line_code, outdated, position: stored(position), original_position: stored(original_position) };
}

export const newDiscussionId = (): string => randomBytes(20).toString('hex');

export function noteService({
  db,
  kinds,
  written,
}: {
  readonly db: Db;
  readonly kinds: NoteableKinds;
  readonly written: NoteHook;
}): NoteService {
  const kindOf = ({ noteable }: Place) => kinds.of(noteable.type);
  const readsInternal = (place: Place, caller: Caller) => may(caller, kindOf(place), 'internal', place);
  const reader = (place: Place, caller: Caller) => ({ caller, internal: readsInternal(place, caller) });

  /** Whether threads are resolved here; single comments never are. */
  const resolvable = (place: Place, kind: Note['kind']) => kind !== null && kindOf(place).abilities.resolve !== null;

  function requireComment(place: Place, caller: Caller): void {
    if (!mayComment(caller, kindOf(place), place)) throw caller.user ? forbidden() : unauthorized();
  }

  /** Internal where it was asked for, by those who may. */
  function internalOf(place: Place, caller: Caller, wanted: boolean | undefined): boolean {
    if (!wanted) return false;
    if (kindOf(place).abilities.internal === null)
      throw invalidNote('confidential', 'can not be set for this resource');
    // Nobody finds what they believed to be internal in public.
    if (!readsInternal(place, caller)) throw forbidden();
    return true;
  }

  async function write(
    place: Place,
    caller: Caller,
    note: NewNote,
    discussion: {
      readonly id: string;
      readonly resolved?: Pick<Note, 'resolved_at' | 'resolved_by_id'> | undefined;
      /** What it answers where that stands on a line: it stands there, too, and moves along. */
      readonly first?: Note | undefined;
    },
    before?: (tx: Db) => Promise<void>,
  ): Promise<Note> {
    const { user } = caller;
    const { subject, noteable } = place;
    if (!user) throw unauthorized();
    requireComment(place, caller);
    checkBody(note.body);
    const internal = internalOf(place, caller, note.internal);
    const mayDate = caller.admin || subject.level >= Level.owner;
    const at = mayDate && note.createdAt ? { created_at: note.createdAt, updated_at: note.createdAt } : {};
    const named = await written.named(place, user.id, { body: note.body, internal });
    const values = {
      ...columnsOf(noteable),
      ...(note.commitId ? { commit_id: note.commitId } : {}),
      discussion_id: discussion.id,
      kind: note.kind,
      author_id: user.id,
      body: note.body,
      internal,
      resolvable: resolvable(place, note.kind),
      ...(discussion.resolved ?? {}),
      ...(note.position ? { position: JSON.stringify(note.position), line_code: note.lineCode ?? null } : {}),
      ...(discussion.first ? placeOfReply(discussion.first) : {}),
      ...at,
    };
    const ready = { place, values, named };
    if (!before && !db.isTransaction) return await writeTogether(ready);
    const [made] = await transaction(db, async (tx) => {
      await before?.(tx);
      return await writeAll(tx, [ready]);
    });
    if (!made) throw recordNotFound();
    return made;
  }

  /** Comments on things of one kind; answers them in their order. */
  async function writeAll(tx: Db, ready: readonly [ReadyNote, ...ReadyNote[]]): Promise<Note[]> {
    const made = await queries.insertComments(
      tx,
      ready.map(({ values }) => values),
    );
    await written.acted(
      tx,
      ready.map(({ place: { noteable }, values }) => ({ noteable, userId: values.author_id })),
    );
    for (const [at, { place, values, named }] of ready.entries()) {
      const note = made[at];
      if (!note) continue;
      await named(tx, note);
      await tell(tx, 'created', note, values.author_id, place);
    }
    const places = new Map(ready.map(({ place }) => [thingOf(place.noteable), place]));
    await kindOf(ready[0].place).commented?.(tx, [...places.values()]);
    return made;
  }

  /** Those that come while others on things of the same kind and project are written are the next. */
  const writeTogether = together<ReadyNote, Note>(
    ({ place: { noteable } }) => [noteable.type, noteable.projectId, noteable.groupId].join(' '),
    (ready) => transaction(db, (tx) => writeAll(tx, ready)),
  );

  async function tell(tx: Db, event: keyof typeof noteFacts, note: Note, actorId: number, place: Place) {
    const { project_id, namespace_id } = note;
    const plain = namesNothing(note.body) ? { names_nothing: true } : {};
    const payload = { note_id: note.id, title: place.title, ...plain };
    await recordFact(tx, noteFacts[event], payload, { project_id, namespace_id, actor_id: actorId });
    await kindOf(place).written?.(tx, place, note);
  }

  /** One's own, or of somebody else for those in charge; what the service wrote stays as it is. */
  function requireOwn(place: Place, caller: Caller, note: Note): number {
    if (!caller.user) throw unauthorized();
    const own = note.author_id === caller.user.id;
    if (note.system || (!own && !may(caller, kindOf(place), 'admin', place))) throw forbidden();
    if (!mayComment(caller, kindOf(place), place)) throw forbidden();
    return caller.user.id;
  }

  /** Whoever wrote the comment, made what it is about, or may resolve all of them. */
  function mayResolve(place: Place, caller: Caller, notes: readonly Note[]): boolean {
    const id = caller.user?.id;
    const own = place.authorId === id || notes.every((note) => note.author_id === id);
    return mayComment(caller, kindOf(place), place) && (own || may(caller, kindOf(place), 'resolve', place));
  }

  function requireResolve(place: Place, caller: Caller, notes: readonly Note[]): number {
    if (!caller.user) throw unauthorized();
    if (!mayResolve(place, caller, notes)) throw forbidden();
    return caller.user.id;
  }

  async function setResolved(place: Place, resolver: number, notes: readonly Note[], resolved: boolean) {
    await transaction(db, async (tx) => {
      const changed = await queries.setResolved(
        tx,
        notes.map((note) => note.id),
        resolved ? resolver : null,
      );
      if (changed > 0) await kindOf(place).commented?.(tx, [place]);
    });
  }

  async function threadOf(place: Place, caller: Caller, discussionId: string): Promise<[Note, ...Note[]]> {
    const [first, ...others] = await queries.notesOf(db, place.noteable, reader(place, caller), [discussionId]);
    if (!first) throw notFound('Discussion');
    return [first, ...others];
  }

  return {
    reader,
    requireComment,
    requireEdit: (place, caller, note) => void requireOwn(place, caller, note),
    mayResolve: (place, caller, notes) =>
      notes.some((note) => note.resolvable) && mayResolve(place, caller, notes.slice(0, 1)),
    create: (place, caller, note) => write(place, caller, note, { id: newDiscussionId() }),
    async reply(place, caller, discussionId, note) {
      const notes = await threadOf(place, caller, discussionId);
      const [first] = notes;
      const single = first.kind === null;
      if (first.system || (single && !kindOf(place).convertible)) throw badRequest('Discussion can not be replied to.');
      const last = notes.findLast((each) => each.resolvable);
      const resolved = last && notes.every((each) => !each.resolvable || each.resolved_at !== null) ? last : undefined;
      return await write(
        place,
        caller,
        {
          ...{ ...note, commitId: first.commit_id, internal: first.internal },
          kind: first.kind === 'diff' ? 'diff' : 'discussion',
        },
        {
          id: discussionId,
          first: first.kind === 'diff' ? first : undefined,
          resolved: resolved && { resolved_at: resolved.resolved_at, resolved_by_id: resolved.resolved_by_id },
        },
        single ? (tx) => queries.makeThread(tx, first.id, resolvable(place, 'discussion')) : undefined,
      );
    },
    async find(place, caller, id, discussionId) {
      const found = await queries.noteOf(db, place.noteable, reader(place, caller), id);
      if (!found || (discussionId !== undefined && found.discussion_id !== discussionId)) throw recordNotFound();
      return found;
    },
    async edit(place, caller, note, change) {
      const editor = requireOwn(place, caller, note);
      return await transaction(db, async (tx) => {
        const body = typeof change === 'string' ? change : withTask(await queries.lockBody(tx, note.id), change);
        checkBody(body);
        const edited = await queries.editNote(tx, note.id, body, editor);
        if (!edited) throw recordNotFound();
        await tell(tx, 'updated', edited, editor, place);
        await kindOf(place).commented?.(tx, [place]);
        return edited;
      });
    },
    async resolve(place, caller, note, resolved) {
      const resolver = requireResolve(place, caller, [note]);
      if (!note.resolvable) throw badRequest('Note is not resolvable');
      await setResolved(place, resolver, [note], resolved);
      return await this.find(place, caller, note.id);
    },
    async resolveDiscussion(place, caller, discussionId, resolved) {
      const notes = await threadOf(place, caller, discussionId);
      const resolver = requireResolve(place, caller, notes.slice(0, 1));
      const wanted = notes.filter((note) => note.resolvable);
      if (wanted.length === 0) throw forbidden();
      await setResolved(place, resolver, wanted, resolved);
    },
    async remove(place, caller, note) {
      requireOwn(place, caller, note);
      await transaction(db, async (tx) => {
        if (!(await queries.deleteNote(tx, note.id))) throw recordNotFound();
        await kindOf(place).commented?.(tx, [place]);
      });
    },
  };
}
