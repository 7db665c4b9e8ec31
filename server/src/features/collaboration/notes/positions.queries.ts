/** Comments on lines of a change, and where they stand after it has changed. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { NoteableType } from './kinds.ts';
import type { Position } from './positions.ts';

/** `position` null: its line is gone. */
export interface NotePosition {
  readonly id: number;
  readonly position: Position | null;
  readonly lineCode: string | null;
}

/** The comments on lines of one thing; those on lines of one of its commits stay there. */
export async function placedNotes(
  db: Db,
  type: NoteableType,
  id: number,
): Promise<{ readonly id: number; readonly position: Position }[]> {
  const rows = await db
    .selectFrom('notes')
    .select(['id', 'position'])
    .where('noteable_type', '=', type)
    .where('noteable_id', '=', id)
    .where('kind', '=', 'diff')
    .where('position', 'is not', null)
    .where('commit_id', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ id: row.id, position: row.position as unknown as Position }));
}

/** Moves comments to where their lines are now, and marks those whose lines are gone. They keep where they began. */
export async function movePositions(tx: Db, moves: readonly NotePosition[]): Promise<void> {
  const rows = JSON.stringify(moves.map(({ id, position, lineCode }) => ({ id, position, line_code: lineCode })));
  await sql`
    update notes n set original_position = coalesce(n.original_position, n.position),
      position = coalesce(nullif(m.position, 'null'::jsonb), n.position),
      line_code = case when m.position is null then n.line_code else m.line_code end,
      outdated = m.position is null
    from jsonb_to_recordset(${rows}::jsonb) m (id bigint, position jsonb, line_code text) where n.id = m.id`.execute(
    tx,
  );
}
