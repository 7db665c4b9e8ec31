/** Comments: what they must hold, who may write, change and remove them, and the facts that others hear of. */
import { randomBytes } from 'node:crypto';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import { emit } from '../../../kernel/events/index.ts';
import { badRequest, forbidden, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import type { Noteable } from './notes.queries.ts';
import * as queries from './notes.queries.ts';
import type { Position } from './positions.ts';

/** What a comment is written about, and where. */
export interface Place {
  readonly noteable: Noteable;
  readonly subject: ProjectSubject;
  /** What it is called, for the list of what people did. */
  readonly title: string;
}

export interface NewNote {
  readonly body: string;
  /** Null for a comment of its own; else one of a thread, on a line of a change with a position. */
  readonly kind: Note['kind'];
  readonly position?: Position;
  readonly lineCode?: string | null;
  /** Another time than now: for whoever administers the project; others write now. */
  readonly createdAt?: Date | undefined;
}

export interface NoteService {
  create(place: Place, caller: Caller, note: NewNote): Promise<Note>;
  /** Adds to a thread; 404 where there is none, 400 for a comment of its own. */
  reply(place: Place, caller: Caller, discussionId: string, note: Pick<NewNote, 'body' | 'createdAt'>): Promise<Note>;
  /** A comment of a thread; 404 where the thread has it not. */
  find(noteable: Noteable, discussionId: string, id: number): Promise<Note>;
  edit(place: Place, caller: Caller, note: Note, body: string): Promise<Note>;
  remove(place: Place, caller: Caller, note: Note): Promise<void>;
}

const longest = 1_000_000;

/** 400 in the ecosystem's words: `400 Bad request - Note {:note=>["can't be blank"]}`. */
export const invalidNote = (field: string, ...problems: readonly string[]) =>
  badRequest(`Note {:${field}=>[${problems.map((problem) => JSON.stringify(problem)).join(', ')}]}`);

function checkBody(body: string): void {
  if (body.trim() === '') throw invalidNote('note', "can't be blank");
  // Characters as people count them, not as they are kept.
  if (body.length > longest && [...body].length > longest)
    throw invalidNote('note', `is too long (maximum is ${longest} characters)`);
}

export function noteService({ db }: { readonly db: Db }): NoteService {
  const place = (noteable: Noteable) =>
    noteable.type === 'commit' ? { commit_id: noteable.commitId } : { merge_request_id: noteable.id };

  async function write(
    { noteable, subject, title }: Place,
    caller: Caller,
    note: NewNote,
    discussionId: string,
  ): Promise<Note> {
    const { user } = caller;
    if (!user) throw unauthorized();
    checkBody(note.body);
    const mayDate = caller.admin || subject.level >= Level.owner;
    const at = mayDate && note.createdAt ? { created_at: note.createdAt, updated_at: note.createdAt } : {};
    return await transaction(db, async (tx) => {
      const made = await queries.insertNote(tx, {
        project_id: noteable.projectId,
        noteable_type: noteable.type,
        ...place(noteable),
        discussion_id: discussionId,
        kind: note.kind,
        author_id: user.id,
        body: note.body,
        ...(note.position ? { position: JSON.stringify(note.position), line_code: note.lineCode ?? null } : {}),
        ...at,
      });
      await tell(tx, 'note.created', made, user.id, title);
      return made;
    });
  }

  const tell = (tx: Db, kind: 'note.created' | 'note.updated', note: Note, actorId: number, title: string) =>
    emit(tx, { kind, project_id: note.project_id, actor_id: actorId, payload: { note_id: note.id, title } });

  /** One's own, or of somebody else for those in charge; what the service wrote stays as it is. */
  function requireOwn(subject: ProjectSubject, caller: Caller, note: Note): number {
    if (!caller.user) throw unauthorized();
    const own = note.author_id === caller.user.id;
    if (note.system || (!own && !canOnProject(caller, 'admin_note', subject))) throw forbidden();
    return caller.user.id;
  }

  return {
    create: (at, caller, note) => write(at, caller, note, randomBytes(20).toString('hex')),
    async reply(at, caller, discussionId, note) {
      const [first] = await queries.notesOf(db, at.noteable, [discussionId]);
      if (!first) throw notFound('Discussion');
      if (first.kind === null) throw badRequest('Discussion can not be replied to.');
      return await write(at, caller, { ...note, kind: 'discussion' }, discussionId);
    },
    async find(noteable, discussionId, id) {
      const found = (await queries.notesOf(db, noteable, [discussionId])).find((note) => note.id === id);
      if (!found) throw notFound('Note');
      return found;
    },
    async edit({ subject, title }, caller, note, body) {
      const editor = requireOwn(subject, caller, note);
      checkBody(body);
      return await transaction(db, async (tx) => {
        const edited = await queries.editNote(tx, note.id, body, editor);
        if (!edited) throw notFound('Note');
        await tell(tx, 'note.updated', edited, editor, title);
        return edited;
      });
    },
    async remove({ subject }, caller, note) {
      requireOwn(subject, caller, note);
      await queries.deleteNote(db, note.id);
    },
  };
}
