/** Merge requests that stand on each other: the target branch of one is the source branch of another. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

/** Deeper stacks are cut. */
const deepest = 50;

/**
 * The open requests below one, from the one that stands on none, then itself, then those above it in the order of their
 * depth. A circle is walked once.
 */
export async function stackOf(
  db: Db,
  row: Pick<MergeRequest, 'id'>,
): Promise<{ readonly id: number; readonly depth: number }[]> {
  const { rows } = await sql<{ id: number; depth: number }>`
    with recursive own as (
      select id, project_id, source_project_id, source_branch, target_branch from merge_requests where id = ${row.id}
    ), below as (
      select o.*, 0 as depth, array[o.id] as seen from own o
      union all
      (select m.id, m.project_id, m.source_project_id, m.source_branch, m.target_branch, b.depth - 1, b.seen || m.id
        from below b join merge_requests m on m.source_project_id = b.project_id and m.project_id = b.project_id
          and m.source_branch = b.target_branch and m.state = 'opened' and not m.id = any(b.seen)
        where b.depth > ${-deepest} order by m.id desc limit 1)
    ), above as (
      select o.*, 0 as depth, array[o.id] as seen from own o
      union all
      select m.id, m.project_id, m.source_project_id, m.source_branch, m.target_branch, a.depth + 1, a.seen || m.id
        from above a join merge_requests m on m.project_id = a.project_id and a.source_project_id = a.project_id
          and m.target_branch = a.source_branch and m.state = 'opened' and not m.id = any(a.seen)
        where a.depth < ${deepest}
    )
    select id, min(depth)::int as depth from (select id, depth from below union select id, depth from above) found
    group by id order by min(depth), id limit 1000`.execute(db);
  return rows;
}

/** The newest request that was merged from a branch of the project; null where none was. */
export async function mergedFrom(db: Db, projectId: number, branch: string): Promise<MergeRequest | null> {
  const row = await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('source_project_id', '=', projectId)
    .where('source_branch', '=', branch)
    .where('state', '=', 'merged')
    .orderBy('merged_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Where it went. */
export const mergedInto = async (db: Db, projectId: number, branch: string): Promise<string | null> =>
  (await mergedFrom(db, projectId, branch))?.target_branch ?? null;
