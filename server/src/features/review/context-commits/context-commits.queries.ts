/** Commits that belong to the context of a merge request without being part of it. */
import type { Db } from '../../../kernel/db/index.ts';

export async function contextCommitsOf(db: Db, mergeRequestId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_request_context_commits')
    .select('sha')
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('committed_at', 'desc')
    .orderBy('sha')
    .execute();
  return rows.map(({ sha }) => sha);
}

export async function addContextCommits(
  tx: Db,
  mergeRequestId: number,
  commits: readonly { readonly sha: string; readonly committedAt: Date }[],
): Promise<void> {
  await tx
    .insertInto('merge_request_context_commits')
    .values(
      commits.map(({ sha, committedAt }) => ({
        merge_request_id: mergeRequestId,
        sha,
        committed_at: committedAt,
      })),
    )
    .execute();
}

/** The hashes that were there. */
export async function removeContextCommits(tx: Db, mergeRequestId: number, shas: readonly string[]): Promise<string[]> {
  const rows = await tx
    .deleteFrom('merge_request_context_commits')
    .where('merge_request_id', '=', mergeRequestId)
    .where('sha', 'in', [...shas])
    .returning('sha')
    .execute();
  return rows.map(({ sha }) => sha);
}
