/**
 * Who has which level where, as SQL: one definition for the single check and for lists. A grant counts while it is active
 * and has not expired; an invited group gives its members, those from the groups above it included, at most the level of
 * the invitation, and passes on nothing that it has by invitation itself; ancestors pass their grants on.
 */
import { type RawBuilder, sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import { type Caller, readsAll } from '../../../kernel/authz/subjects.ts';

/** SQL that a list query is put together from. */
export type Sql = RawBuilder<unknown>;

const holds = (grant: string) =>
  `${grant}.state = 'active' and (${grant}.expires_at is null or ${grant}.expires_at > current_date)`;

/**
 * Text of a lateral subquery over the namespace row `n`, and the project row `p` where `project` is set: the effective
 * level of a user (an SQL expression) and what it is made of.
 */
export function levelsText(user: string, project: boolean): string {
  const shared = (place: string) => `
    select least(s.level, m.level), null from grants s
      join namespaces i on i.id = s.group_id
      join grants m on m.user_id = ${user} and m.namespace_id = any(i.traversal_ids)
        and m.level > ${Level.minimal} and ${holds('m')}
      where s.group_id is not null and ${place} and ${holds('s')}`;
  const onProject = `
    union all
    select g.level, 'project' from grants g where g.user_id = ${user} and g.project_id = p.id and ${holds('g')}
    union all ${shared('s.project_id = p.id')}`;
  return `lateral (select coalesce(max(level), 0)::int as effective_level,
    max(level) filter (where part = 'project') as project_level,
    max(level) filter (where part = 'group') as group_level
    from (
      select g.level, n.kind from grants g
        where g.user_id = ${user} and g.namespace_id = any(n.traversal_ids) and ${holds('g')}
      union all ${shared('s.namespace_id = any(n.traversal_ids)')}
      ${project ? onProject : ''}
      union all select ${Level.owner}, null where n.kind = 'user' and n.owner_id = ${user}
    ) levels (level, part)) levels`;
}

/** The same as a fragment of a larger query. */
export function levelsOf(userId: number | null, project: boolean): Sql {
  const parts = levelsText('?', project).split('?');
  return sql.join(
    parts.map((part) => sql.raw(part)),
    sql`${userId}::bigint`,
  );
}

/** Condition on the grant row of that alias: it is active and has not expired. */
export const grantHolds = (alias: string): RawBuilder<boolean> => sql<boolean>`(${sql.raw(holds(alias))})`;

/**
 * Common table expressions for a `with`: `access (namespace_id, project_id, level)` has every grant of the user, those
 * through invited groups included, without what descends from it.
 */
export function accessTables(userId: number): Sql {
  return sql`mine as materialized (
      select g.namespace_id, g.project_id, g.level from grants g
      where g.user_id = ${userId} and g.level > 0 and ${grantHolds('g')}
    ), access as materialized (
      select namespace_id, project_id, level from mine
      union all
      select s.namespace_id, s.project_id, least(s.level, max(i.level)) from (
          with recursive reach (id, level) as (
            select namespace_id, level from mine where namespace_id is not null and level > ${Level.minimal}
            union select n.id, reach.level from reach join namespaces n on n.parent_id = reach.id
          ) select id, level from reach) i
        join grants s on s.group_id = i.id and ${grantHolds('s')}
        group by s.id, s.namespace_id, s.project_id, s.level
    )`;
}

/** Ids of namespaces on which the user of `access` has at least the level, inherited ones included. */
export const namespacesWithLevel = (level: number): Sql =>
  sql`with recursive reach (id) as (
      select a.namespace_id from access a where a.namespace_id is not null and a.level >= ${level}
      union select d.id from reach join namespaces d on d.parent_id = reach.id
    ) select id from reach`;

/** Whether somebody sees the group `n`: where they have a role, and top-level groups with minimal access. */
const groupsWithLevel = (level: number): Sql =>
  sql`(n.id in (${namespacesWithLevel(Math.max(level, Level.guest))})${
    level > Level.minimal
      ? sql``
      : sql` or (n.parent_id is null and n.id in (select a.namespace_id from access a where a.level = ${Level.minimal}))`
  })`;

const projectsWithLevel = (level: number): Sql => sql`
    select q.id from projects q where q.namespace_id in (${namespacesWithLevel(level)})
    union
    select a.project_id from access a where a.project_id is not null and a.level >= ${level}`;

/** Visibilities that the caller may look into without being a member. */
function openVisibilities(caller: Caller): string[] {
  return caller.user === null || caller.user.external ? ['public'] : ['public', 'internal'];
}

/** What a list of projects or groups asks of the caller's access. */
export interface AccessFilter {
  /** Only where the caller has at least this level; null for all that is visible to them. */
  readonly minimum: number | null;
}

interface Scope {
  /** For `with`; null where nobody's grants matter. */
  readonly tables: Sql | null;
  readonly condition: Sql;
}

/** Projects `p` that the caller may see, narrowed to those of a level. */
export function projectScope(caller: Caller, { minimum }: AccessFilter): Scope {
  const user = caller.user;
  if (minimum === null && readsAll(caller)) return { tables: null, condition: sql`true` };
  const open = sql`p.visibility = any(${openVisibilities(caller)}::text[])`;
  if (user === null) return { tables: null, condition: minimum === null ? open : sql`false` };
  const tables = accessTables(user.id);
  if (minimum !== null)
    return { tables, condition: sql`p.id in (${projectsWithLevel(Math.max(minimum, Level.guest))})` };
  return {
    tables,
    condition: sql`(${open} or p.namespace_id in (${namespacesWithLevel(Level.guest)})
      or p.id in (select a.project_id from access a where a.project_id is not null and a.level >= ${Level.guest}))`,
  };
}

/** Groups `n` that the caller may see, narrowed to those of a level. */
export function groupScope(caller: Caller, { minimum }: AccessFilter): Scope {
  const user = caller.user;
  if (minimum === null && readsAll(caller)) return { tables: null, condition: sql`true` };
  const open = sql`n.visibility = any(${openVisibilities(caller)}::text[])`;
  if (user === null) return { tables: null, condition: minimum === null ? open : sql`false` };
  const member = groupsWithLevel(minimum ?? Level.minimal);
  return { tables: accessTables(user.id), condition: minimum === null ? sql`(${open} or ${member})` : member };
}

/** `with ...` or nothing. */
export const withTables = (...tables: ReadonlyArray<Sql | null>): Sql => {
  const present = tables.filter((table) => table !== null);
  return present.length === 0 ? sql`` : sql`with ${sql.join(present)}`;
};

/** Conditions joined; true when there are none. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
