/** Open merge requests of branches. */
import type { Db } from '../../../kernel/db/index.ts';

export interface OpenRequest {
  readonly iid: number;
  readonly title: string;
}

/** The newest open merge request from each of these branches into a branch of the same project. */
export async function openRequestsFrom(
  db: Db,
  projectId: number,
  branches: readonly string[],
): Promise<ReadonlyMap<string, OpenRequest>> {
  if (branches.length === 0) return new Map();
  const rows = await db
    .selectFrom('merge_requests')
    .distinctOn('source_branch')
    .select(['source_branch', 'iid', 'title'])
    .where('source_project_id', '=', projectId)
    .where('project_id', '=', projectId)
    .where('source_branch', 'in', branches)
    .where('state', '=', 'opened')
    .orderBy('source_branch')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map(({ source_branch, iid, title }) => [source_branch, { iid, title }]));
}
