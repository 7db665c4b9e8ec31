/** What the database knows of commits: their newest pipeline. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';

export type CommitPipelineRow = Pick<
  Pipeline,
  'id' | 'iid' | 'project_id' | 'sha' | 'ref' | 'status' | 'source' | 'created_at' | 'updated_at'
>;

/** The newest pipeline of a commit; null when there is none. */
export async function lastPipeline(db: Db, projectId: number, sha: string): Promise<CommitPipelineRow | null> {
  const row = await db
    .selectFrom('pipelines')
    .select(['id', 'iid', 'project_id', 'sha', 'ref', 'status', 'source', 'created_at', 'updated_at'])
    .where('project_id', '=', projectId)
    .where('sha', '=', sha)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
