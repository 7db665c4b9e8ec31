/**
 * Who has which level where, as SQL: one definition for the single check and for lists. A grant counts while it is active
 * and has not expired; an invited group gives its members, those from the groups above it included, at most the level of
 * the invitation, and passes on nothing that it has by invitation itself; ancestors pass their grants on.
 */
import { type RawBuilder, sql } from 'kysely';
import {
  featuresOf,
  type ProjectAbility,
  type ProjectRule,
  projectAbilities,
  switchesOf,
} from '../../../kernel/authz/abilities.ts';
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

/** One step down the tree, always by the index on `parent_id`: the planner cannot know how little is below. */
const childrenText = (of: string): string =>
  `cross join lateral (select c.id from namespaces c where c.parent_id = ${of}.id offset 0) child`;
const children = (of: string): Sql => sql.raw(childrenText(of));

/**
 * Text of a condition over the namespace row `n` and `levels`: the user (an SQL expression) has no role here, but one in a
 * subgroup or a project below, given or by invitation. Asked only where it can matter. Invitations are looked for from the
 * groups of the user: there are few of these among all.
 */
export function roleBelowText(user: string): string {
  const place = (grant: string) => `n.id = any((select b.traversal_ids from namespaces b where b.id = coalesce(
    ${grant}.namespace_id, (select q.namespace_id from projects q where q.id = ${grant}.project_id)))::bigint[])`;
  return `levels.effective_level < ${Level.guest} and n.visibility <> 'public' and (
    exists (select from grants g where g.user_id = ${user} and g.level >= ${Level.guest} and ${holds('g')} and ${place('g')})
    or exists (with recursive reach (id) as (
        select m.namespace_id from grants m
          where m.user_id = ${user} and m.namespace_id is not null and m.level >= ${Level.guest} and ${holds('m')}
        union select child.id from reach ${childrenText('reach')}
      ) select from reach cross join lateral (select s.* from grants s where s.group_id = reach.id offset 0) s
      where s.level >= ${Level.guest} and ${holds('s')} and ${place('s')}))`;
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
 * through invited groups included, without what descends from it; `roles (id, level)` has every namespace with the user's
 * level there, inherited ones included.
 */
export function accessTables(userId: number): Sql {
  return sql`mine as materialized (
      select g.namespace_id, g.project_id, g.level from grants g
      where g.user_id = ${userId} and g.level > 0 and ${grantHolds('g')}
    ), own as materialized (
      with recursive reach (id, level) as (
        select namespace_id, level from mine where namespace_id is not null and level > ${Level.minimal}
        union select child.id, reach.level from reach ${children('reach')}
      ) select id, max(level) as level from reach group by id
    ), invited as materialized (
      select s.namespace_id, s.project_id, least(s.level, own.level) as level from own
        cross join lateral (select s.namespace_id, s.project_id, s.level from grants s
          where s.group_id = own.id and ${grantHolds('s')} offset 0) s
    ), access as materialized (
      select namespace_id, project_id, level from mine union all select namespace_id, project_id, level from invited
    ), roles as materialized (
      with recursive reach (id, level) as (
        select namespace_id, level from invited where namespace_id is not null
        union select child.id, reach.level from reach ${children('reach')}
      ) select id, max(level) as level from (select id, level from own union all select id, level from reach) either
        group by id
    )`;
}

/** Ids of namespaces on which the user of `access` has at least the level, which is a guest's or higher. */
export const namespacesWithLevel = (level: number): Sql => sql`select r.id from roles r where r.level >= ${level}`;

/** Rows of projects with the level, each once, found through the namespaces; `but` narrows them further by `q`. */
const projectsWithLevel = (level: number, but: Sql = sql`true`): Sql => sql`
    select q.* from roles r
      cross join lateral (select q.* from projects q where q.namespace_id = r.id offset 0) q
      where r.level >= ${level} and ${but}
    union all
    select q.* from (select distinct a.project_id as id from access a where a.level >= ${level}) a
      join projects q on q.id = a.id where q.namespace_id not in (${namespacesWithLevel(level)}) and ${but}`;

/** Whether the project `p` is among them, asked of each row: for walks along an index. */
const projectHasLevel = (level: number): Sql =>
  sql`(p.namespace_id in (${namespacesWithLevel(level)})
      or p.id in (select a.project_id from access a where a.project_id is not null and a.level >= ${level}))`;

/** Ids of the groups above what the user of `access` has a role in: a subgroup, or a single project. */
const groupsAbove: Sql = sql`select unnest(b.traversal_ids) from access a
    left join projects q on q.id = a.project_id join namespaces b on b.id = coalesce(a.namespace_id, q.namespace_id)
    where a.level >= ${Level.guest}`;

/**
 * Whether somebody sees the group `n`: where they have a role, above what they have a role in, and top-level groups with
 * minimal access.
 */
const groupsWithLevel = (level: number): Sql =>
  sql`(n.id in (${namespacesWithLevel(Math.max(level, Level.guest))})${
    level > Level.minimal
      ? sql``
      : sql` or n.id in (${groupsAbove})
        or (n.parent_id is null and n.id in (select a.namespace_id from access a where a.level = ${Level.minimal}))`
  })`;

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

interface ProjectScope extends Scope {
  /** The same as rows of projects, each once and as they are found; null where the condition holds for all. */
  readonly rows: Sql | null;
}

/** Not in a group that is closed to where the caller asks from; null where none is. */
export const openFromHere = ({ closedGroups = [] }: Caller, namespaceId: Sql): Sql | null =>
  closedGroups.length === 0
    ? null
    : sql`${namespaceId} not in (
        select below.id from unnest(${[...closedGroups]}::bigint[]) top (id), namespaces_below(top.id) below (id))`;

/** A scope without what is closed to the caller's address; its rows are looked for by the condition then. */
function fromHere<S extends Scope>(caller: Caller, scope: S): S {
  const open = openFromHere(caller, sql`p.namespace_id`);
  return open === null ? scope : { ...scope, condition: sql`(${scope.condition} and ${open})`, rows: null };
}

/** Projects `p` that the caller may see, narrowed to those of a level. */
export const projectScope = (caller: Caller, filter: AccessFilter): ProjectScope =>
  fromHere(caller, roleScope(caller, filter));

function roleScope(caller: Caller, { minimum }: AccessFilter): ProjectScope {
  const user = caller.user;
  if (minimum === null && readsAll(caller)) return { tables: null, condition: sql`true`, rows: null };
  const visibilities = sql`any(${openVisibilities(caller)}::text[])`;
  const open = sql`p.visibility = ${visibilities}`;
  const openRows = sql`select o.* from projects o where o.visibility = ${visibilities}`;
  if (user === null)
    return minimum === null
      ? { tables: null, condition: open, rows: openRows }
      : { tables: null, condition: sql`false`, rows: null };
  const tables = accessTables(user.id);
  const level = Math.max(minimum ?? Level.guest, Level.guest);
  if (minimum !== null) return { tables, condition: projectHasLevel(level), rows: projectsWithLevel(level) };
  return {
    tables,
    condition: sql`(${open} or ${projectHasLevel(level)})`,
    rows: sql`${openRows} union all ${projectsWithLevel(level, sql`not (q.visibility = ${visibilities})`)}`,
  };
}

/** Projects `p` on which the caller has an ability to read, as `canOnProject` decides for one of them. */
export const abilityScope = (caller: Caller, ability: ProjectAbility): Scope =>
  fromHere(caller, ruleScope(caller, ability));

function ruleScope(caller: Caller, ability: ProjectAbility): Scope {
  const rule: ProjectRule = projectAbilities[ability];
  const levels = featuresOf(rule).map((feature) =>
    switchesOf(feature).map((each) => sql.ref(`p.${each}_access_level`)),
  );
  const one = (of: (level: Sql) => Sql) =>
    levels.length === 0
      ? sql`true`
      : sql`(${sql.join(
          levels.map((each) => allOf(each.map(of))),
          sql` or `,
        )})`;
  const offered = one((level) => sql`${level} <> 'disabled'`);
  if (caller.admin || (readsAll(caller) && rule.auditor)) return { tables: null, condition: offered };
  // Nobody stands between planners and reporters.
  const role = rule.planner && rule.role === Level.reporter ? Level.planner : rule.role;
  const forAll = one((level) => sql`${level} not in ('disabled', 'private')`);
  const open = rule.open ? sql`p.visibility = any(${openVisibilities(caller)}::text[])` : sql`false`;
  const kept = rule.condition === 'public-jobs' ? sql`p.public_jobs` : null;
  if (caller.user === null)
    return { tables: null, condition: sql`(${allOf([offered, open, forAll, ...(kept ? [kept] : [])])})` };
  const member = projectHasLevel;
  const seen = sql`(${member(role)} or (${open} and (${forAll} or ${member(Level.guest)})))`;
  const shown = kept ? [sql`(${kept} or ${member(Level.reporter)})`] : [];
  return { tables: accessTables(caller.user.id), condition: sql`(${allOf([offered, seen, ...shown])})` };
}

/** Groups `n` that the caller may see, narrowed to those of a level. Owners reach theirs from everywhere. */
export function groupScope(caller: Caller, filter: AccessFilter): Scope {
  const scope = groupRoleScope(caller, filter);
  const open = caller.admin ? null : openFromHere(caller, sql`n.id`);
  if (open === null) return scope;
  const owned = scope.tables === null ? sql`false` : sql`n.id in (${namespacesWithLevel(Level.owner)})`;
  return { ...scope, condition: sql`(${scope.condition} and (${open} or ${owned}))` };
}

function groupRoleScope(caller: Caller, { minimum }: AccessFilter): Scope {
  const user = caller.user;
  if (minimum === null && readsAll(caller)) return { tables: null, condition: sql`true` };
  const open = sql`n.visibility = any(${openVisibilities(caller)}::text[])`;
  if (user === null) return { tables: null, condition: minimum === null ? open : sql`false` };
  const member = groupsWithLevel(minimum ?? Level.minimal);
  return { tables: accessTables(user.id), condition: minimum === null ? sql`(${open} or ${member})` : member };
}

/**
 * Groups `n` whose contents the caller reads as guests do, as `canOnGroup` decides for one of them (`read_epic`, and
 * `read_group_wiki` with `wiki`).
 */
export function groupContentScope(caller: Caller, { wiki }: { readonly wiki: boolean }): Scope {
  const offered = wiki ? sql`n.wiki_access_level <> 'disabled'` : sql`true`;
  const forAll = wiki ? sql`n.wiki_access_level not in ('disabled', 'private')` : sql`true`;
  const here = openFromHere(caller, sql`n.id`) ?? sql`true`;
  if (readsAll(caller)) return { tables: null, condition: sql`(${offered} and ${here})` };
  const open = sql`(n.visibility = any(${openVisibilities(caller)}::text[]) and ${forAll})`;
  if (caller.user === null) return { tables: null, condition: sql`(${open} and ${here})` };
  const member = sql`n.id in (${namespacesWithLevel(Level.guest)})`;
  return {
    tables: accessTables(caller.user.id),
    condition: sql`(${offered} and ${here} and (${member} or ${open}))`,
  };
}

/** `with ...` or nothing. */
export const withTables = (...tables: ReadonlyArray<Sql | null>): Sql => {
  const present = tables.filter((table) => table !== null);
  return present.length === 0 ? sql`` : sql`with ${sql.join(present)}`;
};

/** Conditions joined; true when there are none. */
export const allOf = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
