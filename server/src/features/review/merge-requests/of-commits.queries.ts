/** SQL of the merge requests of a commit: the range of history that each brings, and the rows by id. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';

export interface RequestRange {
  readonly id: number;
  readonly base: string | null;
  readonly head: string;
  /** The commits that it became in the target branch. */
  readonly merged: string | null;
  readonly squashed: string | null;
}

/** What each merge request of a project brings, the newest first. */
export async function rangesOf(
  db: Db,
  projectId: number,
  state: MergeRequest['state'] | 'all',
): Promise<RequestRange[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select(['id', 'base_sha', 'head_sha', 'merge_commit_sha', 'squash_commit_sha'])
    .where('project_id', '=', projectId)
    .$if(state !== 'all', (query) => query.where('state', '=', state as MergeRequest['state']))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  return rows.flatMap(({ id, base_sha, head_sha, merge_commit_sha, squash_commit_sha }) =>
    head_sha === null
      ? []
      : [{ id, base: base_sha, head: head_sha, merged: merge_commit_sha, squashed: squash_commit_sha }],
  );
}

/** Rows by id, in the order asked for; without those that have gone. */
export async function rowsById(db: Db, ids: readonly number[]): Promise<MergeRequest[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return ids.flatMap((id) => rows.find((row) => row.id === id) ?? []);
}
