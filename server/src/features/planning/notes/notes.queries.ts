/** Rows of comments: of one thing that people discuss, by thread, and what becomes of them when people go. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import type { NotesTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { findReferences } from '../../identity/index.ts';
import type { LoadedNote } from './notes.entity.ts';

/** What comments are about. */
export type Noteable =
  | { readonly type: 'commit'; readonly projectId: number; readonly commitId: string }
  | { readonly type: 'merge_request'; readonly projectId: number; readonly id: number; readonly iid: number };

interface Window {
  readonly limit: number;
  readonly offset: number;
}

const of = (db: Db, noteable: Noteable) => {
  const all = db.selectFrom('notes').where('noteable_type', '=', noteable.type);
  return noteable.type === 'commit'
    ? all.where('project_id', '=', noteable.projectId).where('commit_id', '=', noteable.commitId)
    : all.where('merge_request_id', '=', noteable.id);
};

/** Comments with the people behind them. */
export async function withPeople(
  db: Db,
  rows: readonly Note[],
  noteableIid: number | null = null,
): Promise<LoadedNote[]> {
  const ids = rows.flatMap((row) =>
    row.resolved_by_id === null ? [row.author_id] : [row.author_id, row.resolved_by_id],
  );
  const people = await findReferences(db, [...new Set(ids)]);
  return rows.flatMap((row) => {
    const author = people.get(row.author_id);
    const resolver = row.resolved_by_id === null ? null : (people.get(row.resolved_by_id) ?? null);
    return author ? [{ row, author, resolver, noteableIid }] : [];
  });
}

/** One page of comments, the oldest first, and how many there are. */
export async function listNotes(db: Db, noteable: Noteable, page: Window): Promise<{ rows: Note[]; total: number }> {
  const query = of(db, noteable);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** One page of ids of threads, in the order in which they began, and how many there are. */
export async function listDiscussions(
  db: Db,
  noteable: Noteable,
  page: Window,
): Promise<{ ids: string[]; total: number }> {
  const query = of(db, noteable).select('discussion_id').groupBy('discussion_id');
  const [rows, total] = await Promise.all([
    query.orderBy(sql`min(created_at)`).orderBy(sql`min(id)`).limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query),
  ]);
  return { ids: rows.map((row) => row.discussion_id), total };
}

/** Comments of threads, the oldest first. */
export async function notesOf(db: Db, noteable: Noteable, discussionIds: readonly string[]): Promise<Note[]> {
  if (discussionIds.length === 0) return [];
  return await of(db, noteable)
    .selectAll()
    .where('discussion_id', 'in', [...discussionIds])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
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
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

export async function insertNote(tx: Db, values: Insertable<NotesTable>): Promise<Note> {
  return await tx.insertInto('notes').values(values).returningAll().executeTakeFirstOrThrow();
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

export async function deleteNote(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('notes').where('id', '=', id).execute();
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
