/** What the JSON of projects tells besides their rows, for a whole page in one read. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceRow } from '../../identity/index.ts';
import { grantHolds } from '../access/access.queries.ts';
import type { ProjectExtras } from './projects.entity.ts';

type ExtrasRow = Omit<ProjectExtras, 'readmePath' | 'statistics' | 'owner'> & {
  readonly id: number;
  /** Of a personal project; its time is still text. */
  readonly owner: (Omit<ReferenceRow, 'locked_until'> & { readonly locked_until: string | null }) | null;
};

/** By project id. `userId` is null for anonymous callers. */
export async function findExtras(
  db: Db,
  projectIds: readonly number[],
  userId: number | null,
): Promise<Map<number, ExtrasRow>> {
  const { rows } = await sql<ExtrasRow>`
    select p.id,
      (select g.level from grants g where g.user_id = ${userId} and g.project_id = p.id and ${grantHolds('g')})
        as "projectAccess",
      (select max(g.level) from grants g where n.kind = 'group' and g.user_id = ${userId}
        and g.namespace_id = any(n.traversal_ids) and ${grantHolds('g')}) as "groupAccess",
      (select coalesce(json_agg(json_build_object('group_id', i.id, 'group_name', i.name, 'group_full_path',
          i.full_path, 'group_access_level', s.level, 'expires_at', s.expires_at) order by s.id), '[]')
        from grants s join namespaces i on i.id = s.group_id
        where s.group_id is not null and s.project_id = p.id) as "sharedWith",
      (select json_build_object('id', u.id, 'username', u.username, 'name', u.name, 'state', u.state, 'public_email',
          u.public_email, 'locked_until', u.locked_until, 'avatar_object_key', u.avatar_object_key)
        from users u where n.kind = 'user' and u.id = n.owner_id) as owner
    from projects p join namespaces n on n.id = p.namespace_id
    where p.id = any(${[...projectIds]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Bytes of stored job artifacts and logs by project. */
export async function artifactSizes(db: Db, projectIds: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ project_id: number; size: number }>`
    select project_id, sum(size)::bigint as size from job_artifacts
    where project_id = any(${[...projectIds]}::bigint[]) group by project_id`.execute(db);
  return new Map(rows.map((row) => [row.project_id, row.size]));
}
