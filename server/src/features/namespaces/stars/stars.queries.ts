/** Rows of `project_stars`; the counts of projects follow by themselves. */
import { sql } from 'kysely';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { allOf, type Sql } from '../access/access.queries.ts';

/** False where it was there already. */
export async function addStar(tx: Db, userId: number, projectId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('project_stars')
    .values({ user_id: userId, project_id: projectId })
    .onConflict((conflict) => conflict.columns(['user_id', 'project_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** False where there was none. */
export async function removeStar(tx: Db, userId: number, projectId: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('project_stars')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

export async function hasStarred(db: Db, userId: number, projectId: number): Promise<boolean> {
  const row = await db
    .selectFrom('project_stars')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row !== undefined;
}

export interface Starrer {
  readonly user_id: number;
  readonly created_at: Date;
}

/** People who hide their profile are shown to themselves and administrators. */
function starrers(projectId: number, search: string | undefined, seer: { id: number | null; admin: boolean }) {
  const conditions: Sql[] = [sql`s.project_id = ${projectId}`, sql`u.state = 'active'`];
  if (!seer.admin) conditions.push(sql`(not u.private_profile or u.id = ${seer.id}::bigint)`);
  if (search) {
    const pattern = containing(search);
    conditions.push(sql`(u.name ilike ${pattern} or u.username ilike ${pattern})`);
  }
  return sql`from project_stars s join users u on u.id = s.user_id where ${allOf(conditions)}`;
}

export async function listStarrers(
  db: Db,
  projectId: number,
  search: string | undefined,
  seer: { id: number | null; admin: boolean },
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<Starrer[]> {
  const { rows } = await sql<Starrer>`select s.user_id, s.created_at ${starrers(projectId, search, seer)}
    order by s.created_at desc, s.user_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

export const countStarrers = (
  db: Db,
  projectId: number,
  search: string | undefined,
  seer: { id: number | null; admin: boolean },
): Promise<number> =>
  countUpTo(db, { limit: (rows) => sql`select 1 ${starrers(projectId, search, seer)} limit ${rows}` });
