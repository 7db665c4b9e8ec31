/** Rows of `project_statistics`: what each project stores. Files keep their sums by triggers; the rest is measured. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ProjectStatistics } from '../../../kernel/db/rows.ts';

/** What is measured outside the database. */
export interface Measures {
  readonly commit_count?: number;
  readonly repository_size?: number;
  readonly wiki_size?: number;
}

export async function recordMeasures(db: Db, projectId: number, measures: Measures): Promise<void> {
  await db.updateTable('project_statistics').set(measures).where('project_id', '=', projectId).execute();
}

/** By project. */
export async function statisticsOf(
  db: Db,
  projectIds: readonly number[],
): Promise<Map<number, Omit<ProjectStatistics, 'project_id'>>> {
  const rows = await db
    .selectFrom('project_statistics')
    .selectAll()
    .where('project_id', 'in', [...projectIds])
    .execute();
  return new Map(rows.map(({ project_id, ...statistics }) => [project_id, statistics]));
}

type GroupStatistics = Omit<ProjectStatistics, 'project_id' | 'commit_count'>;

/** Bytes in and below each group, with wikis and uploads of the groups themselves. */
export async function groupStatistics(db: Db, ids: readonly number[]): Promise<Map<number, GroupStatistics>> {
  const { rows } = await sql<GroupStatistics & { id: number }>`
    with own as (
      select g.id,
        coalesce(sum((select w.repository_size from wikis w where w.namespace_id = n.id)), 0)::bigint as wikis,
        coalesce(sum((select sum(u.size) from group_uploads u where u.namespace_id = n.id)), 0)::bigint as uploads
      from unnest(${[...ids]}::bigint[]) as g (id) cross join lateral namespaces_below(g.id) n (id) group by g.id)
    select g.id, (coalesce(sum(s.storage_size), 0) + g.wikis + g.uploads)::bigint as storage_size,
      coalesce(sum(s.repository_size), 0)::bigint as repository_size,
      (coalesce(sum(s.wiki_size), 0) + g.wikis)::bigint as wiki_size,
      coalesce(sum(s.lfs_objects_size), 0)::bigint as lfs_objects_size,
      coalesce(sum(s.job_artifacts_size), 0)::bigint as job_artifacts_size,
      coalesce(sum(s.pipeline_artifacts_size), 0)::bigint as pipeline_artifacts_size,
      coalesce(sum(s.packages_size), 0)::bigint as packages_size,
      coalesce(sum(s.snippets_size), 0)::bigint as snippets_size,
      (coalesce(sum(s.uploads_size), 0) + g.uploads)::bigint as uploads_size
    from own g
      cross join lateral namespaces_below(g.id) n (id)
      left join projects p on p.namespace_id = n.id
      left join project_statistics s on s.project_id = p.id
    group by g.id, g.wikis, g.uploads`.execute(db);
  return new Map(rows.map(({ id, ...statistics }) => [id, statistics]));
}

/** Ids of the next projects in their order. */
export async function projectsAfter(db: Db, id: number, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('projects').select('id').where('id', '>', id).orderBy('id').limit(limit).execute();
  return rows.map((row) => row.id);
}

/**
 * Counts stored files of projects anew; how many were wrong. Whoever stores or removes a file meanwhile waits for the
 * lock and then adds to what is counted here.
 */
export async function recount(tx: Db, ids: readonly number[]): Promise<number> {
  const wanted = [...ids];
  await sql`insert into project_statistics (project_id) select id from projects where id = any(${wanted}::bigint[])
    on conflict do nothing`.execute(tx);
  await sql`select from project_statistics where project_id = any(${wanted}::bigint[])
    order by project_id for no key update`.execute(tx);
  const { numAffectedRows } = await sql`update project_statistics s
    set job_artifacts_size = c.artifacts, uploads_size = c.uploads, lfs_objects_size = c.lfs,
      packages_size = c.packages
    from (select p.id,
        coalesce((select sum(a.size) from job_artifacts a where a.project_id = p.id), 0) as artifacts,
        coalesce((select sum(u.size) from project_uploads u where u.project_id = p.id), 0) as uploads,
        coalesce((select sum(l.size) from lfs_object_links l where l.project_id = p.id), 0) as lfs,
        coalesce((select sum(f.size) from package_files f where f.project_id = p.id), 0) as packages
      from unnest(${wanted}::bigint[]) p (id)) c
    where s.project_id = c.id and (s.job_artifacts_size, s.uploads_size, s.lfs_objects_size, s.packages_size)
      is distinct from (c.artifacts, c.uploads, c.lfs, c.packages)`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
