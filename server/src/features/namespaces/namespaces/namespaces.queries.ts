/** Lists of namespaces and what is counted in them. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { countLimit } from '../../../kernel/http/pagination.ts';
import {
  accessTables,
  allOf,
  grantHolds,
  namespacesWithLevel,
  openFromHere,
  type Sql,
  withTables,
} from '../access/access.queries.ts';
import { namespacePicture } from '../access/parents.queries.ts';
import { seatsIn } from '../billable-members/billable-members.queries.ts';
import type { NamespaceFigures } from './namespaces.entity.ts';

export interface NamespaceFilter {
  readonly search?: string | undefined;
  readonly fullPathSearch?: boolean | undefined;
  readonly ownedOnly?: boolean | undefined;
  readonly topLevelOnly?: boolean | undefined;
}

function parts(caller: Caller, filter: NamespaceFilter): { tables: Sql | null; conditions: Sql[] } {
  const userId = caller.user?.id ?? 0;
  const conditions: Sql[] = [];
  const all = caller.admin && !filter.ownedOnly;
  if (!all) {
    const level = filter.ownedOnly ? Level.owner : Level.guest;
    conditions.push(
      sql`((n.kind = 'user' and n.owner_id = ${userId}) or (n.kind = 'group' and n.id in (${namespacesWithLevel(level)})))`,
    );
  }
  if (filter.search) {
    const pattern = containing(filter.search);
    const path = filter.fullPathSearch ? sql`n.full_path` : sql`n.path`;
    conditions.push(sql`(n.name ilike ${pattern} or ${path} ilike ${pattern})`);
  }
  const open = caller.admin ? null : openFromHere(caller, sql`n.id`);
  if (open) conditions.push(sql`(${open} or n.id in (${namespacesWithLevel(Level.owner)}))`);
  if (filter.topLevelOnly) conditions.push(sql`n.parent_id is null`);
  return { tables: all ? null : accessTables(userId), conditions };
}

/** Namespaces of the caller, with whether they own each. */
export async function listNamespaces(
  db: Db,
  caller: Caller,
  filter: NamespaceFilter,
  window: { readonly limit: number; readonly offset: number },
): Promise<Namespace[]> {
  const { tables, conditions } = parts(caller, filter);
  const { rows } =
    await sql<Namespace>`${withTables(tables)} select n.*, ${sql.raw(namespacePicture)} as avatar_object_key
    from namespaces n where ${allOf(conditions)} order by n.id limit ${window.limit} offset ${window.offset}`.execute(
      db,
    );
  return rows;
}

export async function countNamespaces(db: Db, caller: Caller, filter: NamespaceFilter): Promise<number> {
  const { tables, conditions } = parts(caller, filter);
  const { rows } = await sql<{ count: number }>`${withTables(tables)} select count(*)::int as count from (
    select 1 from namespaces n where ${allOf(conditions)} limit ${countLimit + 1}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Of which of the namespaces the user is an owner. */
export async function ownedAmong(db: Db, ids: readonly number[], userId: number): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`${withTables(accessTables(userId))}
    select n.id from namespaces n where n.id = any(${[...ids]}::bigint[])
      and (n.owner_id = ${userId} or n.id in (${namespacesWithLevel(Level.owner)}))`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Members, projects and bytes in each namespace and below it. */
export async function namespaceFigures(db: Db, ids: readonly number[]): Promise<Map<number, NamespaceFigures>> {
  const { rows } = await sql<{ id: number } & NamespaceFigures>`
    select root.id,
      (${seatsIn(sql`root.id`)}) as billable,
      (select count(distinct g.user_id)::int from namespaces_below(root.id) d (id) join grants g on g.namespace_id = d.id
        where ${grantHolds('g')}) as members,
      (select count(*)::int from namespaces_below(root.id) d (id)
        join projects p on p.namespace_id = d.id) as projects,
      (select coalesce(sum(s.repository_size), 0)::bigint from namespaces_below(root.id) d (id)
        join projects p on p.namespace_id = d.id join project_statistics s on s.project_id = p.id) as "repositorySize"
    from unnest(${[...ids]}::bigint[]) as root (id)`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/** The paths (lower case) below a parent, null for the top, that are the text or the text with a number. */
export async function pathsLike(db: Db, parentId: number | null, path: string): Promise<Set<string>> {
  const { rows } = await sql<{ path: string }>`
    select lower(n.path) as path from namespaces n
      where n.parent_id is not distinct from ${parentId}::bigint and starts_with(lower(n.path), lower(${path}))
    union
    select lower(p.path) from projects p
      where p.namespace_id = ${parentId}::bigint and starts_with(lower(p.path), lower(${path}))`.execute(db);
  return new Set(rows.map((row) => row.path));
}
