/** What becomes of merge requests whose people go. */
import type { Db } from '../../../kernel/db/index.ts';

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
