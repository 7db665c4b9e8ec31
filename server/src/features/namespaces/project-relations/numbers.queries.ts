/** The highest number of a project's rows. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Tables whose rows are numbered within their project. */
export type Numbered = 'issues' | 'merge_requests' | 'pipelines' | 'deployments';

/** 0 where there is none. */
export async function lastNumber(db: Db, table: Numbered, projectId: number): Promise<number> {
  const { rows } = await sql<{ iid: number }>`select coalesce(max(iid), 0) as iid from ${sql.table(table)}
    where project_id = ${projectId}`.execute(db);
  return rows[0]?.iid ?? 0;
}
