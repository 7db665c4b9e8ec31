/** Rows of suggestions, with the comments that make them. */
import { type Selectable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Note } from '../../../kernel/db/rows.ts';
import type { SuggestionsTable } from '../../../kernel/db/tables.ts';

export type SuggestionRow = Selectable<SuggestionsTable>;

export async function suggestionsOf(db: Db, noteIds: readonly number[]): Promise<SuggestionRow[]> {
  if (noteIds.length === 0) return [];
  return await db
    .selectFrom('suggestions')
    .selectAll()
    .where('note_id', 'in', [...noteIds])
    .orderBy('note_id')
    .orderBy('relative_order')
    .execute();
}

/** By id, with their comments, in the order of the ids. */
export async function suggestionsById(
  db: Db,
  ids: readonly number[],
): Promise<Array<{ readonly row: SuggestionRow; readonly note: Note }>> {
  const rows = await db
    .selectFrom('suggestions')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  const notes = await db
    .selectFrom('notes')
    .selectAll()
    .where('id', 'in', [0, ...rows.map(({ note_id }) => note_id)])
    .execute();
  return ids.flatMap((id) => {
    const row = rows.find((each) => each.id === id);
    const note = notes.find((each) => each.id === row?.note_id);
    return row && note ? [{ row, note }] : [];
  });
}

export type NewSuggestion = Pick<SuggestionRow, 'from_line' | 'to_line' | 'from_content' | 'to_content'>;

/** What a comment proposes now; nothing changes once something of it was applied. */
export async function replaceSuggestions(tx: Db, noteId: number, wanted: readonly NewSuggestion[]): Promise<void> {
  const known = await tx
    .selectFrom('suggestions')
    .select(['id', 'applied_at'])
    .where('note_id', '=', noteId)
    .forUpdate()
    .execute();
  if (known.some(({ applied_at }) => applied_at !== null)) return;
  if (known.length > 0) await tx.deleteFrom('suggestions').where('note_id', '=', noteId).execute();
  if (wanted.length === 0) return;
  await tx
    .insertInto('suggestions')
    .values(wanted.map((each, relative_order) => ({ ...each, note_id: noteId, relative_order })))
    .execute();
}

/** How many of them were not applied before. */
export async function markApplied(tx: Db, ids: readonly number[], userId: number, commit: string): Promise<number> {
  const changed = await tx
    .updateTable('suggestions')
    .set({ applied_at: sql<Date>`now()`, applied_by_id: userId, commit_id: commit })
    .where('id', 'in', [...ids])
    .where('applied_at', 'is', null)
    .executeTakeFirst();
  return Number(changed.numUpdatedRows);
}
