/** Rows of `path_redirects`: where projects and groups were before. What is below a moved group has no row of its own. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { namespaceAt } from '../access/hierarchy.queries.ts';

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

/** Before a group moves: its path leads to it, and longer ones to what is at the rest of them below it. */
export async function leaveGroupPath(tx: Db, groupId: number): Promise<void> {
  await sql`insert into path_redirects (path, namespace_id)
    select full_path, id from namespaces where id = ${groupId} ${latest}`.execute(tx);
}

/** `a/b/c`, `a/b`, `a`. */
const prefixes = (path: string): string[] =>
  path.split('/').map((_, at, segments) => segments.slice(0, segments.length - at).join('/'));

/** The id of what is at a path now. */
async function findAt(db: Db, fullPath: string, kind: 'project' | 'group'): Promise<number | null> {
  const slash = fullPath.lastIndexOf('/');
  const query =
    kind === 'group'
      ? sql<{ id: number | null }>`select ${namespaceAt(fullPath)} as id`
      : sql<{ id: number | null }>`select id from projects where namespace_id = ${namespaceAt(fullPath.slice(0, slash))}
          and lower(path) = lower(${fullPath.slice(slash + 1)})`;
  return (await query.execute(db)).rows[0]?.id ?? null;
}

/** A path that led through more moves than these is forgotten. */
const mostMoves = 5;

/** The id of the project or group that was at a path; null when none was. */
export async function findFormer(
  db: Db,
  fullPath: string,
  kind: 'project' | 'group',
  moves = mostMoves,
): Promise<number | null> {
  const { rows } = await sql<{ path: string; project_id: number | null; namespace_id: number; now: string | null }>`
    select r.path, r.project_id, r.namespace_id, n.full_path as now
    from path_redirects r left join namespaces n on n.id = r.namespace_id
    where lower(r.path) = any(select lower(prefix) from unnest(${prefixes(fullPath)}::text[]) prefix)
    order by char_length(r.path) desc`.execute(db);
  for (const row of rows) {
    const rest = fullPath.slice(row.path.length);
    if (rest === '') {
      const id = kind === 'project' ? row.project_id : row.namespace_id;
      if (id !== null) return id;
    } else if (row.now !== null && moves > 0) {
      const path = row.now + rest;
      const id = (await findAt(db, path, kind)) ?? (await findFormer(db, path, kind, moves - 1));
      if (id !== null) return id;
    }
  }
  return null;
}
