/** Rows of comments: of one thing that people discuss, by thread, and what becomes of them when people go. */
import { type Insertable, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { type Db, insertMany } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import type { NotesTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { findReferences, type ReferenceRow } from '../../identity/index.ts';
import type { Noteable, NoteableType } from './kinds.ts';
import type { LoadedNote } from './notes.entity.ts';
import { referenceSeen } from './references.queries.ts';

interface Window {
  readonly limit: number;
  readonly offset: number;
}

/** Comments of people, what the service wrote of changes, or both. */
export type Activity = 'all_notes' | 'only_comments' | 'only_activity';

export interface NoteOrder {
  readonly by: 'created_at' | 'updated_at';
  readonly sort: 'asc' | 'desc';
}

/** Who reads comments. */
export interface NoteReader {
  readonly caller: Caller;
  /** Whether internal ones are among those that they read. */
  readonly internal: boolean;
}

/** The comments about one thing that somebody reads. */
const of = (db: Db, noteable: Noteable, { caller, internal }: NoteReader) => {
  const all = db.selectFrom('notes').where('noteable_type', '=', noteable.type);
  const about =
    noteable.id === null
      ? all.where('project_id', '=', noteable.projectId).where('commit_id', '=', noteable.commitId)
      : all.where('noteable_id', '=', noteable.id);
  const seen = about.where(referenceSeen(caller));
  return internal ? seen : seen.where('internal', '=', false);
};

/** Comments with the people behind them, of whom one may be known. */
export async function withPeople(
  db: Db,
  rows: readonly Note[],
  known: ReferenceRow | null = null,
): Promise<LoadedNote[]> {
  const ids = new Set(
    rows.flatMap((row) => (row.resolved_by_id === null ? [row.author_id] : [row.author_id, row.resolved_by_id])),
  );
  if (known) ids.delete(known.id);
  const people = new Map(ids.size === 0 ? [] : await findReferences(db, [...ids]));
  if (known) people.set(known.id, known);
  return rows.flatMap((row) => {
    const author = people.get(row.author_id);
    const resolver = row.resolved_by_id === null ? null : (people.get(row.resolved_by_id) ?? null);
    return author ? [{ row, author, resolver }] : [];
  });
}

/** One page of comments, and how many there are. */
export async function listNotes(
  db: Db,
  noteable: Noteable,
  reader: NoteReader,
  page: Window,
  { by, sort }: NoteOrder = { by: 'created_at', sort: 'asc' },
  activity: Activity = 'all_notes',
): Promise<{ rows: Note[]; total: number }> {
  const all = of(db, noteable, reader);
  const query = activity === 'all_notes' ? all : all.where('system', '=', activity === 'only_activity');
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy(by, sort).orderBy('id', sort).limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** One page of ids of threads, in the order in which they began, and how many there are. */
export async function listDiscussions(
  db: Db,
  noteable: Noteable,
  reader: NoteReader,
  page: Window,
): Promise<{ ids: string[]; total: number }> {
  const query = of(db, noteable, reader).select('discussion_id').groupBy('discussion_id');
  const [rows, total] = await Promise.all([
    query.orderBy(sql`min(created_at)`).orderBy(sql`min(id)`).limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query),
  ]);
  return { ids: rows.map((row) => row.discussion_id), total };
}

/** Comments of threads, the oldest first. */
export async function notesOf(
  db: Db,
  noteable: Noteable,
  reader: NoteReader,
  discussionIds: readonly string[],
): Promise<Note[]> {
  if (discussionIds.length === 0) return [];
  return await of(db, noteable, reader)
    .selectAll()
    .where('discussion_id', 'in', [...discussionIds])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Comments of the threads about a thing that are not resolved, the oldest first. */
export async function unresolvedNotes(db: Db, noteable: Noteable, reader: NoteReader): Promise<Note[]> {
  return await of(db, noteable, reader)
    .selectAll()
    .where('discussion_id', 'in', (query) =>
      query
        .selectFrom('notes')
        .select('discussion_id')
        .where('noteable_type', '=', noteable.type)
        .where('noteable_id', '=', noteable.id)
        .where('resolvable', '=', true)
        .where('resolved_at', 'is', null),
    )
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** One of the comments about a thing. */
export async function noteOf(db: Db, noteable: Noteable, reader: NoteReader, id: number): Promise<Note | undefined> {
  return await of(db, noteable, reader).selectAll().where('id', '=', id).executeTakeFirst();
}

export async function noteById(db: Db, id: number): Promise<Note | undefined> {
  return await db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Comments by id, with the people behind them. */
export async function notesById(db: Db, ids: readonly number[]): Promise<Map<number, LoadedNote>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('notes')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map((await withPeople(db, rows)).map((note) => [note.row.id, note]));
}

/** The newest comment of a project that everybody in it may read. */
export async function newestNote(db: Db, projectId: number): Promise<Note | undefined> {
  return await db
    .selectFrom('notes')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('internal', '=', false)
    .where('system', '=', false)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export type NewNote = Insertable<NotesTable>;

/** A comment from elsewhere: its times and what is not usual are given, too. */
export type ArchivedNote = Omit<NewNote, 'position' | 'original_position'> &
  Required<Pick<NewNote, 'system' | 'internal' | 'resolvable' | 'outdated' | 'created_at' | 'updated_at'>> & {
    readonly position: object | null;
    readonly original_position: object | null;
  };

/** Their ids in the same order. */
export async function insertNotes(tx: Db, rows: readonly ArchivedNote[]): Promise<number[]> {
  return (await insertMany(tx, 'notes', rows, ['id'])).map(({ id }) => id);
}

/** New comments, answered in the same order: no more than some hundreds, for the limit of parameters. */
export async function insertComments(tx: Db, rows: readonly NewNote[]): Promise<Note[]> {
  const made = await tx.insertInto('notes').values(rows).returningAll().execute();
  return made.sort((a, b) => a.id - b.id);
}

export async function insertNote(tx: Db, values: NewNote): Promise<Note> {
  return await tx.insertInto('notes').values(values).returningAll().executeTakeFirstOrThrow();
}

/** The text of a comment that nobody else changes until the transaction ends; null where it has gone. */
export async function lockBody(tx: Db, id: number): Promise<string | null> {
  const row = await tx.selectFrom('notes').select('body').where('id', '=', id).forUpdate().executeTakeFirst();
  return row?.body ?? null;
}

/** Gives a comment another text; undefined where it is gone. */
export async function editNote(tx: Db, id: number, body: string, editorId: number): Promise<Note | undefined> {
  const now = sql<Date>`now()`;
  return await tx
    .updateTable('notes')
    .set({ body, updated_at: now, last_edited_at: now, last_edited_by_id: editorId })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Makes a thread of a single comment. */
export async function makeThread(tx: Db, id: number, resolvable: boolean): Promise<void> {
  await tx.updateTable('notes').set({ kind: 'discussion', resolvable }).where('id', '=', id).execute();
}

/** Resolves comments in somebody's name, or opens them again; answers how many that changed. */
export async function setResolved(tx: Db, ids: readonly number[], by: number | null): Promise<number> {
  const all = tx
    .updateTable('notes')
    .where('id', 'in', [...ids])
    .where('resolvable', '=', true);
  const changed =
    by === null
      ? all.where('resolved_at', 'is not', null).set({ resolved_at: null, resolved_by_id: null })
      : all.where('resolved_at', 'is', null).set({ resolved_at: sql<Date>`now()`, resolved_by_id: by });
  return Number((await changed.executeTakeFirst()).numUpdatedRows);
}

/** False when it was removed meanwhile. */
export async function deleteNote(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('notes').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

/** Makes another user the author of what somebody wrote, and whoever edited and resolved. */
export async function moveNotes(tx: Db, from: number, to: number): Promise<void> {
  for (const column of ['author_id', 'resolved_by_id', 'last_edited_by_id'] as const)
    await tx
      .updateTable('notes')
      .set({ [column]: to })
      .where(column, '=', from)
      .execute();
}

/** Removes what somebody wrote. */
export async function removeNotesOf(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom('notes').where('author_id', '=', userId).execute();
}

/** Those of things of a kind that have threads which are not resolved. */
export async function unresolvedThreads(
  db: Db,
  type: NoteableType,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select distinct noteable_id as id from notes
    where noteable_type = ${type} and noteable_id = any(${[...ids]}::bigint[]) and resolvable and resolved_at is null`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}
