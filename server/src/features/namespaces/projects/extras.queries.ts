/** What the JSON of projects tells besides their rows. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { grantHolds } from '../access/access.queries.ts';
import type { SharedGroup } from './projects.entity.ts';

/** Groups that were invited to the projects, by project id. */
export async function findSharedGroups(db: Db, projectIds: readonly number[]): Promise<Map<number, SharedGroup[]>> {
  const { rows } = await sql<SharedGroup & { project_id: number }>`
    select s.project_id, i.id as group_id, i.name as group_name, i.full_path as group_full_path,
      s.level as group_access_level, s.expires_at
    from grants s join namespaces i on i.id = s.group_id
    where s.group_id is not null and s.project_id = any(${[...projectIds]}::bigint[]) and ${grantHolds('s')}
    order by s.id`.execute(db);
  const found = new Map<number, SharedGroup[]>();
  for (const { project_id, ...group } of rows) found.set(project_id, [...(found.get(project_id) ?? []), group]);
  return found;
}

/** Bytes of stored job artifacts by project. */
export async function artifactSizes(db: Db, projectIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ project_id: number; size: number }>`
    select project_id, sum(size)::bigint as size from job_artifacts
    where project_id = any(${[...projectIds]}::bigint[]) group by project_id`.execute(db);
  return new Map(rows.map((row) => [row.project_id, row.size]));
}
