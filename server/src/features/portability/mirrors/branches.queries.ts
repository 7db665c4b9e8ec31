/** Protected branches of a project. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Names and patterns of the project's protected branches, with those of its top-level group. */
export async function protectedPatterns(db: Db, projectId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from protected_branches where project_id = ${projectId}
    union
    select b.name from projects p join namespaces n on n.id = p.namespace_id
      join protected_branches b on b.namespace_id = n.traversal_ids[1]
    where p.id = ${projectId}`.execute(db);
  return rows.map(({ name }) => name);
}
