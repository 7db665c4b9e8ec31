/** Suggestions as archives of projects hold them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { SuggestionRow } from './suggestions.queries.ts';

const batch = 500;

/** In batches, in the order of their comments. */
export async function* archivedSuggestionsOf(db: Db, projectId: number): AsyncGenerator<object[]> {
  for (let [note, order] = [0, -1]; ; ) {
    const { rows } = await sql<{ note_id: number; relative_order: number }>`
      select s.note_id, n.noteable_iid as merge_request, n.discussion_id, n.created_at as note_created_at, s.relative_order,
        s.from_line, s.to_line, s.from_content, s.to_content, s.applied_at,
        (select username from users where id = s.applied_by_id) as applied_by, s.commit_id
      from suggestions s join notes n on n.id = s.note_id
      where n.project_id = ${projectId} and n.noteable_type = 'merge_request' and n.source_type is null
        and (s.note_id, s.relative_order) > (${note}::bigint, ${order}::int)
      order by s.note_id, s.relative_order limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ note_id: _, ...row }) => row);
    [note, order] = [last.note_id, last.relative_order];
  }
}

/** False where the comment is not there, or has the suggestion. */
export async function insertArchivedSuggestion(
  tx: Db,
  note: { readonly request: number; readonly thread: string; readonly createdAt: Date },
  row: Omit<SuggestionRow, 'id' | 'note_id'>,
): Promise<boolean> {
  const { rows } = await sql`
    insert into suggestions (note_id, relative_order, from_line, to_line, from_content, to_content, applied_at,
      applied_by_id, commit_id)
    select n.id, ${row.relative_order}::int, ${row.from_line}::int, ${row.to_line}::int, ${row.from_content}::text,
      ${row.to_content}::text, ${row.applied_at}::timestamptz, ${row.applied_by_id}::bigint, ${row.commit_id}::text
    from notes n
    where n.noteable_type = 'merge_request' and n.noteable_id = ${note.request} and n.discussion_id = ${note.thread}
      and date_trunc('milliseconds', n.created_at) = ${note.createdAt} and n.position is not null
      and not exists (select 1 from suggestions s where s.note_id = n.id and s.relative_order = ${row.relative_order})
    order by n.id limit 1
    returning id`.execute(tx);
  return rows.length > 0;
}

export async function removeSuggestions(tx: Db, projectId: number): Promise<void> {
  await sql`delete from suggestions where note_id in (select id from notes where project_id = ${projectId})`.execute(
    tx,
  );
}
