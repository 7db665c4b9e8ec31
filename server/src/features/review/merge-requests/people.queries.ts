/** Who takes part in a merge request, and how far its reviewers are. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

export type ReviewState = 'unreviewed' | 'reviewed' | 'requested_changes' | 'approved' | 'unapproved';

export interface Reviewer {
  readonly user_id: number;
  readonly state: ReviewState;
  readonly created_at: Date;
}

/** Author, assignees, reviewers and whoever commented, in this order; internal comments count for those who read them. */
export async function participantsOf(db: Db, requestId: number, internal: boolean): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id from (
      select author_id as user_id, 0 as part, 0 as position, created_at as at
        from merge_requests where id = ${requestId} and author_id is not null
      union all select user_id, case role when 'assignee' then 1 else 2 end, position, created_at
        from merge_request_people where merge_request_id = ${requestId}
      union all select author_id, 3, 0, created_at from notes
        where noteable_type = 'merge_request' and noteable_id = ${requestId} and author_id is not null
          and not system and (${internal} or not internal)) taking
    group by user_id order by min(part), min(position), min(at), user_id`.execute(db);
  return rows.map(({ user_id }) => user_id);
}

export async function reviewersOf(db: Db, requestId: number): Promise<Reviewer[]> {
  return await db
    .selectFrom('merge_request_people')
    .select(['user_id', 'state', 'created_at'])
    .where('merge_request_id', '=', requestId)
    .where('role', '=', 'reviewer')
    .orderBy('position')
    .orderBy('user_id')
    .$narrowType<{ state: ReviewState }>()
    .execute();
}

/** Records how far somebody is, where they were asked to review, and for everybody which version they have reviewed. */
export async function recordReview(tx: Db, requestId: number, userId: number, state: ReviewState): Promise<void> {
  if (state !== 'unapproved')
    await sql`insert into merge_request_last_reviews (merge_request_id, user_id, version_id)
      select merge_request_id, ${userId}, id from merge_request_versions where merge_request_id = ${requestId}
        order by id desc limit 1
      on conflict (merge_request_id, user_id) do update
        set version_id = excluded.version_id, reviewed_at = excluded.reviewed_at`.execute(tx);
  await tx
    .updateTable('merge_request_people')
    .set({ state })
    .where('merge_request_id', '=', requestId)
    .where('role', '=', 'reviewer')
    .where('user_id', '=', userId)
    // Comments after an approval leave it standing.
    .where((eb) => (state === 'reviewed' ? eb('state', 'not in', ['approved', 'requested_changes']) : eb.lit(true)))
    .execute();
}

/** Records that somebody is asked once more; false where they are no reviewer. */
export async function resetReview(tx: Db, requestId: number, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('merge_request_people')
    .set({ state: 'unreviewed' })
    .where('merge_request_id', '=', requestId)
    .where('role', '=', 'reviewer')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** When somebody last reviewed a request, and which version; null before they did. */
export async function lastReviewOf(db: Db, requestId: number, userId: number) {
  const row = await db
    .selectFrom('merge_request_last_reviews as l')
    .innerJoin('merge_request_versions as v', 'v.id', 'l.version_id')
    .select(['l.reviewed_at', 'l.version_id', 'v.head_sha'])
    .where('l.merge_request_id', '=', requestId)
    .where('l.user_id', '=', userId)
    .executeTakeFirst();
  return row ?? null;
}
