/** Comments as archives hold them. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { awardsJson } from '../award-emoji/transfer.queries.ts';

const batch = 500;

/** Columns of the rows `n` that all comments have. */
const said = sql`n.discussion_id, n.kind, (select username from users where id = n.author_id) as author, n.body, n.system,
  n.internal, n.action, n.resolvable, n.resolved_at, (select username from users where id = n.resolved_by_id) as resolved_by,
  n.last_edited_at, (select username from users where id = n.last_edited_by_id) as last_edited_by, n.created_at,
  n.updated_at, ${awardsJson({ noteId: sql`n.id` })} as award_emoji`;

/** In batches, the oldest first. */
async function* rowsOf(db: Db, columns: RawBuilder<unknown>, where: RawBuilder<unknown>): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number }>`select n.id, ${columns}, ${said}
      from notes n where ${where}
        -- Who reads of references depends on where they are made.
        and n.source_type is null
        and n.id > ${after} order by n.id limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ id: _, ...row }) => row);
    after = last.id;
  }
}

export const notesOfProject = (db: Db, projectId: number): AsyncGenerator<object[]> =>
  rowsOf(
    db,
    sql`n.commit_id, case when n.noteable_type = 'merge_request' then n.noteable_iid end as merge_request,
      case when n.noteable_type = 'issue' then n.noteable_iid end as issue, n.position, n.original_position, n.outdated,
      n.line_code`,
    sql`n.project_id = ${projectId} and n.noteable_type in ('commit', 'issue', 'merge_request')`,
  );

/** Those of the snippets of a project that have numbers in an archive. */
export async function* notesOfSnippets(
  db: Db,
  projectId: number,
  numbers: ReadonlyMap<number, number>,
): AsyncGenerator<object[]> {
  const where = sql`n.project_id = ${projectId} and n.noteable_type = 'snippet'`;
  for await (const rows of rowsOf(db, sql`n.noteable_id as snippet`, where))
    yield rows.flatMap((row) => {
      const snippet = numbers.get((row as { readonly snippet: number }).snippet);
      return snippet === undefined ? [] : [{ ...row, snippet }];
    });
}

/** Those of the epics of a group. */
export const notesOfGroup = (db: Db, groupId: number): AsyncGenerator<object[]> =>
  rowsOf(db, sql`n.noteable_iid as epic`, sql`n.namespace_id = ${groupId} and n.noteable_type = 'epic'`);

/** Ids of issues or merge requests of a project by their numbers. */
export async function idsNumbered(
  tx: Db,
  projectId: number,
  type: 'issue' | 'merge_request',
  iids: readonly number[],
): Promise<Map<number, number>> {
  if (iids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; iid: number }>`
    select id, iid from ${sql.table(type === 'issue' ? 'issues' : 'merge_requests')}
    where project_id = ${projectId} and iid = any(${[...new Set(iids)]}::bigint[])`.execute(tx);
  return new Map(rows.map(({ id, iid }) => [iid, id]));
}

export async function removeNotesOfProject(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('notes').where('project_id', '=', projectId).execute();
}

/** The epic of a number. */
export async function epicNumbered(tx: Db, groupId: number, iid: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`select id from epics
    where namespace_id = ${groupId} and iid = ${iid}`.execute(tx);
  return rows[0]?.id ?? null;
}

export async function removeNotesOfGroup(tx: Db, groupId: number): Promise<void> {
  await tx.deleteFrom('notes').where('namespace_id', '=', groupId).execute();
}
