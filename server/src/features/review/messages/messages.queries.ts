/** Whom messages of a merge request name. */
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';

export async function peopleOf(db: Db, mergeRequestId: number, role: 'assignee' | 'reviewer'): Promise<User[]> {
  return await db
    .selectFrom('merge_request_people')
    .innerJoin('users', 'users.id', 'merge_request_people.user_id')
    .selectAll('users')
    .where('merge_request_id', '=', mergeRequestId)
    .where('role', '=', role)
    .orderBy('position')
    .execute();
}
