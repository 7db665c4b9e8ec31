/** Issues by their due date. */
import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';

/** Open issues that are due tomorrow, of the database's day, after an id; none of archived projects. */
export async function dueTomorrow(
  db: Db,
  after: number,
  limit: number,
): Promise<Pick<Issue, 'id' | 'iid' | 'project_id' | 'author_id'>[]> {
  return await db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .select(['i.id', 'i.iid', 'i.project_id', 'i.author_id'])
    .where('i.state', '=', 'opened')
    .where(sql<SqlBool>`i.due_date = current_date + 1`)
    .where('p.archived', '=', false)
    .where('i.id', '>', after)
    .orderBy('i.id')
    .limit(limit)
    .execute();
}
