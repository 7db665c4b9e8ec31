/** SQL of the order that people give to issues, and of who takes part in them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { projectsWithin } from '../../namespaces/index.ts';
import { placesOf } from '../places.queries.ts';

/** Positions are compared within a top-level namespace: boards of groups show issues of several projects. */
export const { lockOrder, reorder } = placesOf({
  table: sql.table('issues'),
  position: sql.ref('relative_position'),
  holder: sql.ref('project_id'),
  holders: sql.table('projects'),
  holdersIn: (rootId) => projectsWithin({ kind: 'group', id: rootId }),
  lock: 'issue_order',
});

/** Author, assignees and whoever commented, in this order; internal comments count for those who read them. */
export async function participantsOf(db: Db, issueId: number, internal: boolean): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id from (
      select author_id as user_id, 0 as part, created_at as at from issues where id = ${issueId}
      union all select user_id, 1, created_at from issue_assignees where issue_id = ${issueId}
      union all select author_id, 2, created_at from notes
        where noteable_type = 'issue' and noteable_id = ${issueId} and not system and (${internal} or not internal)) taking
    group by user_id order by min(part), min(at), user_id`.execute(db);
  return rows.map(({ user_id }) => user_id);
}
