/** What the JSON of projects tells besides their rows. */
import { sql } from 'kysely';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { grantHolds, groupScope, levelsOf, withTables } from '../access/access.queries.ts';
import {
  goesWithGroup,
  ipRanges,
  type ProjectRow,
  projectColumns,
  toProjectSubject,
} from '../access/parents.queries.ts';
import type { MirrorSettings, SharedGroup } from './projects.entity.ts';

/** Groups that were invited to the projects and that the caller may see, by project id. */
export async function findSharedGroups(
  db: Db,
  projectIds: readonly number[],
  caller: Caller,
): Promise<Map<number, SharedGroup[]>> {
  const { tables, condition } = groupScope(caller, { minimum: null });
  const { rows } = await sql<SharedGroup & { project_id: number }>`${withTables(tables)}
    select s.project_id, n.id as group_id, n.name as group_name, n.full_path as group_full_path,
      s.level as group_access_level, s.expires_at
    from grants s join namespaces n on n.id = s.group_id
    where s.group_id is not null and s.project_id = any(${[...projectIds]}::bigint[]) and ${grantHolds('s')}
      and ${condition}
    order by s.id`.execute(db);
  const found = new Map<number, SharedGroup[]>();
  for (const { project_id, ...group } of rows) found.set(project_id, [...(found.get(project_id) ?? []), group]);
  return found;
}

/** Settings of the pull mirrors of projects, by project id. */
export async function findMirrors(db: Db, projectIds: readonly number[]): Promise<Map<number, MirrorSettings>> {
  const rows = await db
    .selectFrom('pull_mirrors')
    .select([
      'project_id',
      'user_id as mirror_user_id',
      'trigger_builds as mirror_trigger_builds',
      'only_protected_branches as only_mirror_protected_branches',
      'overwrites_diverged_branches as mirror_overwrites_diverged_branches',
    ])
    .where('project_id', 'in', projectIds)
    .execute();
  return new Map(rows.map(({ project_id, ...settings }) => [project_id, settings]));
}

/** Projects by id with their namespaces and the user's level on each. */
export async function findProjectSubjects(
  db: Db,
  ids: readonly number[],
  userId: number | null,
): Promise<Map<number, ProjectSubject>> {
  const { rows } = await sql<ProjectRow>`select ${sql.raw(`${projectColumns}, ${ipRanges}, ${goesWithGroup}`)}
    from projects p join namespaces n on n.id = p.namespace_id cross join ${levelsOf(userId, true)}
    where p.id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, toProjectSubject(row)]));
}
