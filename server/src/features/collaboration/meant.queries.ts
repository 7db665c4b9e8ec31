/** Labels and milestones that an archive names by their titles. */
import { type RawBuilder, sql } from 'kysely';

/** Ids of those that hold in a project: of several with a title the nearest is meant. Null and none mean nothing. */
export const meantBy = (
  table: 'labels' | 'milestones',
  projectId: number,
  titles: readonly (string | null | undefined)[],
): RawBuilder<{ id: number }> => sql`
  select distinct on (t.title) t.id from projects p join namespaces n on n.id = p.namespace_id
    join ${sql.table(table)} t on t.project_id = p.id or t.namespace_id = any(n.traversal_ids)
  where p.id = ${projectId} and t.title = any(${titles.filter((title) => title)}::text[])
  order by t.title, t.project_id nulls last,
    (select cardinality(a.traversal_ids) from namespaces a where a.id = t.namespace_id) desc`;
