/** Rows of `path_redirects`: where projects and groups were before. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';

/** Former paths that something new now has, and those below it, lead nowhere else any more. */
export async function claimPath(tx: Db, fullPath: string): Promise<void> {
  await sql`delete from path_redirects
    where lower(path) = lower(${fullPath}) or starts_with(lower(path), lower(${fullPath}) || '/')`.execute(tx);
}

const latest = sql`on conflict (lower(path) text_pattern_ops)
  do update set path = excluded.path, namespace_id = excluded.namespace_id, project_id = excluded.project_id,
    created_at = now()`;

/** A project was at `fullPath` until now. */
export async function leaveProjectPath(tx: Db, projectId: number, fullPath: string): Promise<void> {
  await sql`insert into path_redirects (path, project_id) values (${fullPath}, ${projectId}) ${latest}`.execute(tx);
}

/** Before a group moves: its path, and those of all groups and projects below it. */
export async function leaveGroupPaths(tx: Db, groupId: number): Promise<void> {
  await sql`insert into path_redirects (path, namespace_id, project_id)
    select n.full_path, n.id, null::bigint from namespaces n where n.traversal_ids @> array[${groupId}]::bigint[]
    union all
    select n.full_path || '/' || p.path, null::bigint, p.id from projects p join namespaces n on n.id = p.namespace_id
      where n.traversal_ids @> array[${groupId}]::bigint[]
    ${latest}`.execute(tx);
}

/** The id of the project or group that was at a path; null when none was. */
export async function findFormer(db: Db, fullPath: string, kind: 'project' | 'group'): Promise<number | null> {
  const column = kind === 'project' ? 'project_id' : 'namespace_id';
  const row = await db
    .selectFrom('path_redirects')
    .select(column)
    .where(sql`lower(path)`, '=', sql<string>`lower(${fullPath})`)
    .executeTakeFirst();
  return (row as Record<string, number | null> | undefined)?.[column] ?? null;
}
