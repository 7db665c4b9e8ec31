/** SQL of who takes part in merge requests. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

/** Who is assigned, or asked to review, in the order in which they were named. */
export async function peopleIn(db: Db, id: number, role?: 'assignee' | 'reviewer'): Promise<number[]> {
  const all = db.selectFrom('merge_request_people').select('user_id').where('merge_request_id', '=', id);
  const rows = await (role ? all.where('role', '=', role) : all).orderBy('position').execute();
  return rows.map((row) => row.user_id);
}

/** The author, and those who are assigned or asked to review, each once. */
export async function involvedPeople(db: Db, id: number): Promise<number[]> {
  const row = await db.selectFrom('merge_requests').select('author_id').where('id', '=', id).executeTakeFirst();
  return [...new Set([...(row?.author_id == null ? [] : [row.author_id]), ...(await peopleIn(db, id))])];
}

export async function requestsById(db: Db, ids: readonly number[]): Promise<MergeRequest[]> {
  if (ids.length === 0) return [];
  return await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
}
