/** People and groups around a project: who is in it, which groups hold it or are invited, where it may go. */
import { sql } from 'kysely';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import {
  accessTables,
  allOf,
  grantHolds,
  groupScope,
  namespacesWithLevel,
  type Sql,
  withTables,
} from '../access/access.queries.ts';
import { projectCreators } from '../access/parents.queries.ts';

type Window = Pick<Page, 'limit' | 'offset'>;
/** A list that is fetched in pages and counted. */
export interface Listing<T> {
  rows(db: Db, window: Window): Promise<T[]>;
  count(db: Db): Promise<number>;
}

export interface UserFilter {
  readonly search?: string | undefined;
  readonly skip?: readonly number[] | undefined;
}

/** Ids of people with any role on the project: their own, from the groups above, or through invited groups. */
export function projectUsers({ project, namespace }: ProjectSubject, filter: UserFilter): Listing<{ id: number }> {
  const conditions: Sql[] = [sql`u.state = 'active'`, sql`u.user_type <> 'ghost'`];
  if (filter.search) {
    const pattern = containing(filter.search);
    conditions.push(sql`(u.name ilike ${pattern} or u.username ilike ${pattern} or u.email = ${filter.search})`);
  }
  if (filter.skip?.length) conditions.push(sql`u.id <> all(${[...filter.skip]}::bigint[])`);
  const places = sql`(g.project_id = ${project.id} or g.namespace_id = any(${namespace.traversal_ids}::bigint[]))`;
  const from = sql`from users u where u.id in (
      select g.user_id from grants g
        where g.user_id is not null and g.level >= ${Level.guest} and ${places} and ${grantHolds('g')}
      union
      select m.user_id from grants g join namespaces i on i.id = g.group_id
        join grants m on m.namespace_id = any(i.traversal_ids)
        where m.user_id is not null and m.level >= ${Level.guest} and ${grantHolds('m')} and ${places} and ${grantHolds('g')}
      union
      select ${namespace.owner_id}::bigint
    ) and ${allOf(conditions)}`;
  return {
    rows: async (db, { limit, offset }) =>
      (
        await sql<{
          id: number;
        }>`select u.id ${from} order by lower(u.name), u.id limit ${limit} offset ${offset}`.execute(db)
      ).rows,
    count: (db) => countUpTo(db, { limit: (rows) => sql`select 1 ${from} limit ${rows}` }),
  };
}

function groups(tables: Sql | null, conditions: readonly Sql[]): Listing<Namespace> {
  const from = sql`from namespaces n where n.kind = 'group' and ${allOf(conditions)}`;
  return {
    rows: async (db, { limit, offset }) =>
      (
        await sql<Namespace>`${withTables(tables)} select n.* ${from}
          order by lower(n.name), n.id limit ${limit} offset ${offset}`.execute(db)
      ).rows,
    count: (db) => countUpTo(db, { limit: (rows) => sql`${withTables(tables)} select 1 ${from} limit ${rows}` }),
  };
}

const searched = (search: string | undefined): Sql[] => {
  if (!search) return [];
  const pattern = containing(search);
  return [sql`(n.name ilike ${pattern} or n.full_path ilike ${pattern})`];
};

export interface GroupFilter {
  readonly search?: string | undefined;
  readonly skip?: readonly number[] | undefined;
  /** Also groups that were invited, and at least with which level. */
  readonly shared?: boolean | undefined;
  readonly sharedLevel?: number | undefined;
  /** Of the invited groups only those that the caller sees. */
  readonly sharedVisibleOnly?: boolean | undefined;
}

const invitedTo = ({ project, namespace }: ProjectSubject, where: { direct: boolean; inherited: boolean }, level = 0) =>
  sql`n.id in (select s.group_id from grants s where s.group_id is not null and ${grantHolds('s')} and s.level >= ${level}
    and (${where.direct ? sql`s.project_id = ${project.id}` : sql`false`}
      or ${where.inherited ? sql`s.namespace_id = any(${namespace.traversal_ids}::bigint[])` : sql`false`}))`;

/** The groups above, and those that were invited. */
export function projectGroups(subject: ProjectSubject, caller: Caller, filter: GroupFilter): Listing<Namespace> {
  const scope = groupScope(caller, { minimum: null });
  const above = sql`n.id = any(${subject.namespace.traversal_ids}::bigint[])`;
  const invited = invitedTo(subject, { direct: true, inherited: true }, filter.sharedLevel);
  const seen = filter.sharedVisibleOnly ? sql`(${invited} and ${scope.condition})` : invited;
  const conditions = [filter.shared ? sql`(${above} or ${seen})` : above, ...searched(filter.search)];
  if (filter.skip?.length) conditions.push(sql`n.id <> all(${[...filter.skip]}::bigint[])`);
  return groups(filter.shared && filter.sharedVisibleOnly ? scope.tables : null, conditions);
}

/** Invited groups that the caller may see. */
export function invitedGroups(
  subject: ProjectSubject,
  caller: Caller,
  filter: {
    readonly search?: string | undefined;
    readonly level?: number | undefined;
    direct: boolean;
    inherited: boolean;
  },
): Listing<Namespace> {
  const scope = groupScope(caller, { minimum: filter.level ?? null });
  return groups(scope.tables, [invitedTo(subject, filter), scope.condition, ...searched(filter.search)]);
}

/** Groups that can be invited: those that the caller is in, and that are not invited yet. */
export function shareLocations(
  subject: ProjectSubject,
  caller: Caller,
  search: string | undefined,
): Listing<Namespace> {
  const conditions = [
    sql`n.marked_for_deletion_on is null`,
    sql`not ${invitedTo(subject, { direct: true, inherited: false })}`,
    sql`n.id <> all(${subject.namespace.traversal_ids}::bigint[])`,
    ...searched(search),
  ];
  if (caller.admin) return groups(null, conditions);
  return groups(accessTables(caller.user?.id ?? 0), [
    sql`n.id in (${namespacesWithLevel(Level.guest)})`,
    ...conditions,
  ]);
}

/** Groups that the project can be moved to: those where the caller may make projects. */
export function transferLocations(
  { project }: ProjectSubject,
  caller: Caller,
  search: string | undefined,
): Listing<Namespace> {
  const conditions = [sql`n.marked_for_deletion_on is null`, sql`n.id <> ${project.namespace_id}`, ...searched(search)];
  if (caller.admin) return groups(null, conditions);
  const may = (level: number, words: readonly string[]) =>
    sql`(n.id in (${namespacesWithLevel(level)}) and ${sql.raw(projectCreators)} = any(${[...words]}::text[]))`;
  const creators = sql`(${may(Level.owner, ['owner', 'maintainer', 'developer'])}
    or ${may(Level.maintainer, ['maintainer', 'developer'])} or ${may(Level.developer, ['developer'])})`;
  return groups(accessTables(caller.user?.id ?? 0), [creators, ...conditions]);
}
