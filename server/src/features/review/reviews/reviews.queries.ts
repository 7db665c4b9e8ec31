/** SQL of requested changes: they stand until the same person approves, also once they are no reviewer any more. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Records the request and makes the person a reviewer. */
export async function insertRequestedChanges(tx: Db, requestId: number, userId: number): Promise<void> {
  await sql`insert into merge_request_requested_changes (merge_request_id, user_id) values (${requestId}, ${userId})
    on conflict (merge_request_id, user_id) do update set created_at = now()`.execute(tx);
  await sql`insert into merge_request_people (merge_request_id, user_id, role, position, state)
    select ${requestId}, ${userId}, 'reviewer', coalesce(max(position), 0) + 1, 'requested_changes'
      from merge_request_people where merge_request_id = ${requestId} and role = 'reviewer'
    on conflict (merge_request_id, user_id, role) do update set state = 'requested_changes'`.execute(tx);
}

export async function withdrawRequestedChanges(tx: Db, requestId: number, userId: number): Promise<void> {
  await tx
    .deleteFrom('merge_request_requested_changes')
    .where('merge_request_id', '=', requestId)
    .where('user_id', '=', userId)
    .execute();
}
