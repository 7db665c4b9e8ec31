/** What the database knows of commits: their newest pipeline, and which projects have histories in common. */
import { sql } from 'kysely';
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

export interface PipelineState {
  readonly id: number;
  readonly status: string;
}

/** The newest pipeline of each commit that has one; child pipelines are part of their parents. */
export async function newestPipelines(
  db: Db,
  projectId: number,
  shas: readonly string[],
): Promise<ReadonlyMap<string, PipelineState>> {
  if (shas.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipelines')
    .distinctOn('sha')
    .select(['sha', 'id', 'status'])
    .where('project_id', '=', projectId)
    .where('sha', 'in', shas)
    .where('source', '<>', 'parent_pipeline')
    .orderBy('sha')
    .orderBy('id', 'desc')
    .execute();
  return new Map(rows.map(({ sha, id, status }) => [sha, { id, status }]));
}

/** Whether both projects are forks of one project, at any distance. */
export async function areRelated(db: Db, one: number, other: number): Promise<boolean> {
  const { rows } = await sql<{ related: boolean }>`
    with recursive above (start, id) as (
      values (${one}::bigint, ${one}::bigint), (${other}::bigint, ${other}::bigint)
      union
      select above.start, p.forked_from_project_id from above join projects p on p.id = above.id
        where p.forked_from_project_id is not null
    ) select exists (
      select from above a join above b on b.id = a.id where a.start = ${one} and b.start = ${other}
    ) as related`.execute(db);
  return rows[0]?.related ?? false;
}
