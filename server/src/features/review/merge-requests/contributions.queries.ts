/** What becomes of merge requests whose people go. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { projectsWithin } from '../../namespaces/index.ts';

/** Makes another user the author, and whoever merged or closed. */
export async function moveMergeRequests(tx: Db, from: number, to: number): Promise<void> {
  for (const column of ['author_id', 'merge_user_id', 'closed_by_id'] as const)
    await tx
      .updateTable('merge_requests')
      .set({ [column]: to })
      .where(column, '=', from)
      .execute();
}

/** Removes the merge requests that somebody opened. */
export async function removeMergeRequestsOf(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom('merge_requests').where('author_id', '=', userId).execute();
}

/** Takes somebody off the open merge requests of a project, or of all projects in the tree of a group. */
export async function unassign(
  tx: Db,
  userId: number,
  place: { readonly kind: 'group' | 'project'; readonly id: number },
): Promise<void> {
  await sql`delete from merge_request_people a using merge_requests m
    where a.merge_request_id = m.id and a.user_id = ${userId} and m.state = 'opened'
      and m.project_id in ${projectsWithin(place)}`.execute(tx);
}
