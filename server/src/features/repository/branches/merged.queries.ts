/** Branches that merge requests still need. */
import type { Db } from '../../../kernel/db/index.ts';

/** Names of the branches of a project that open merge requests come from or go to. */
export async function branchesInReview(db: Db, projectId: number): Promise<ReadonlySet<string>> {
  const open = (column: 'source' | 'target') =>
    db
      .selectFrom('merge_requests')
      .select(`${column}_branch as name`)
      .distinct()
      .where('state', '=', 'opened')
      .where(column === 'source' ? 'source_project_id' : 'project_id', '=', projectId)
      .execute();
  const [sources, targets] = await Promise.all([open('source'), open('target')]);
  return new Set([...sources, ...targets].map(({ name }) => name));
}
