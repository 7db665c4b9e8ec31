/** Which projects the groups above a project take templates from. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** The nearest group first. A group's project counts only as long as it is in that group or below it. */
export async function templateProjectsOf(db: Db, groups: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select p.id from namespaces g
      join projects p on p.id = g.file_template_project_id
      join namespaces n on n.id = p.namespace_id
    where g.id = any(${groups}::bigint[]) and g.id = any(n.traversal_ids)
    order by cardinality(g.traversal_ids) desc`.execute(db);
  return rows.map(({ id }) => id);
}
