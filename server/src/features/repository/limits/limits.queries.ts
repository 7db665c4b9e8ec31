/** What counts against the limits of a repository. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { nearestSaid } from '../../namespaces/index.ts';

/** Of the project `p`. */
export const sizeColumns = sql`coalesce(s.repository_size + s.lfs_objects_size, 0) as used,
  coalesce(p.repository_size_limit, ${nearestSaid('repository_size_limit')}) as size_limit`;
export const sizeTables = sql`projects p
  join namespaces n on n.id = p.namespace_id
  left join project_statistics s on s.project_id = p.id`;

/**
 * Bytes that a project's repository and large files have, as they were measured last, and the limit that is set for the
 * project or, else, for the nearest group above; null where none is.
 */
export async function sizeOf(db: Db, projectId: number): Promise<{ used: number; limit: number | null }> {
  const { rows } = await sql<{ used: number; size_limit: number | null }>`
    select ${sizeColumns} from ${sizeTables} where p.id = ${projectId}`.execute(db);
  return { used: rows[0]?.used ?? 0, limit: rows[0]?.size_limit ?? null };
}
