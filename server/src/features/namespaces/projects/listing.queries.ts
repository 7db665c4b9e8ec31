/** Lists of projects: one query for every list of the API, filtered by what the caller may see. */
import { sql } from 'kysely';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { containing, type Db, wordsOf } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import { type CursorValues, countLimit } from '../../../kernel/http/pagination.ts';
import { idOrder } from '../../../kernel/http/paging.queries.ts';
import { allOf, grantHolds, levelsOf, projectScope, type Sql, withTables } from '../access/access.queries.ts';
import { below } from '../access/hierarchy.queries.ts';
import { type ProjectRow, projectColumns, toProjectSubject } from '../access/parents.queries.ts';
import { hasCustomAttributes } from '../custom-attributes/custom-attributes.queries.ts';

export type ProjectOrder =
  | 'id'
  | 'name'
  | 'path'
  | 'created_at'
  | 'updated_at'
  | 'last_activity_at'
  | 'star_count'
  | 'repository_size'
  | 'storage_size'
  | 'packages_size'
  | 'wiki_size'
  | 'similarity';

/** Everything that a list may ask; what is undefined does not matter. */
export interface ProjectFilter {
  readonly archived?: boolean | undefined;
  /** Neither archived nor waiting for removal (true), or one of both (false). */
  readonly active?: boolean | undefined;
  readonly visibility?: string | undefined;
  readonly search?: string | undefined;
  /** Also look for the search's words in the namespace's path. */
  readonly searchNamespaces?: boolean | undefined;
  /** All of these. */
  readonly topics?: readonly string[] | undefined;
  readonly issuesEnabled?: boolean | undefined;
  readonly mergeRequestsEnabled?: boolean | undefined;
  readonly idAfter?: number | undefined;
  readonly idBefore?: number | undefined;
  readonly activityAfter?: Date | undefined;
  readonly activityBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly repositoryStorage?: string | undefined;
  readonly markedForDeletionOn?: string | undefined;
  /** Starred by the user. */
  readonly starredBy?: number | undefined;
  /** Where the user did something. */
  readonly contributedBy?: number | undefined;
  /** Brought from elsewhere by the user. */
  readonly importedBy?: number | undefined;
  readonly forkedFromId?: number | undefined;
  readonly topicId?: number | undefined;
  readonly language?: string | undefined;
  /** With artifacts of jobs that scan for weaknesses. */
  readonly securityReports?: boolean | undefined;
  /** All of these values. */
  readonly customAttributes?: Readonly<Record<string, string>> | undefined;
  /** Also those whose days of grace are over and that are being removed. */
  readonly includePendingDelete?: boolean | undefined;
  /** How many days of grace there are, where those that are over are left out. */
  readonly hiddenAfterDays?: number | undefined;
  /** The caller's lowest level; undefined for all that is visible. */
  readonly minimumLevel?: number | undefined;
  /** Only in the namespace. */
  readonly namespaceId?: number | undefined;
  /** Also below the namespace. */
  readonly descendants?: boolean | undefined;
  /** Also those that the group was invited to. */
  readonly shared?: boolean | undefined;
  /** Only those that the group was invited to. */
  readonly onlySharedWith?: number | undefined;
}

export interface ProjectWindow {
  readonly order: ProjectOrder;
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  /** For keyset pages, which are in the order of ids: the position of the page before. */
  readonly after: CursorValues | null;
}

/** Ids of namespaces with the text in a part of their path, and of those below them. */
const namespacesNamed = (pattern: string): Sql => sql`
    with recursive hit (id) as (
      select m.id from namespaces m where m.kind = 'group' and m.path ilike ${pattern}
      union select m.id from users u join namespaces m on m.owner_id = u.id and m.kind = 'user'
        where u.username ilike ${pattern}
      union select child.id from hit
        cross join lateral (select c.id from namespaces c where c.parent_id = hit.id offset 0) child
    ) select id from hit`;

/** Each word must be found somewhere. A word with a slash is part of a full path, which no index has. */
function searchCondition(search: string, namespaces: boolean): Sql {
  return allOf(
    wordsOf(search).map((word) => {
      const pattern = containing(word);
      const own = sql`p.name ilike ${pattern} or p.path ilike ${pattern} or p.description ilike ${pattern}`;
      if (!namespaces) return sql`(${own})`;
      if (word.includes('/')) return sql`(${own} or n.full_path || '/' || p.path ilike ${pattern})`;
      return sql`p.id in (select p.id from projects p where ${own}
        union select q.id from projects q where q.namespace_id in (${namespacesNamed(pattern)}))`;
    }),
  );
}

const invited = (id: number): Sql =>
  sql`select s.project_id from grants s where s.group_id = ${id} and s.project_id is not null and ${grantHolds('s')}`;

/** Whether the project `p` is where the filter asks, for walks along an index; the planner is kept from joining. */
function placeConditions(filter: ProjectFilter): Sql[] {
  if (filter.onlySharedWith !== undefined) return [sql`(p.id in (${invited(filter.onlySharedWith)})) is true`];
  const id = filter.namespaceId;
  if (id === undefined) return [];
  const inside = filter.descendants ? sql`p.namespace_id in ${below(id)}` : sql`p.namespace_id = ${id}`;
  return [filter.shared ? sql`(${inside} or p.id in (${invited(id)})) is true` : sql`(${inside}) is true`];
}

/** The same as rows of projects, each once. */
function placeRows(filter: ProjectFilter): Sql | null {
  if (filter.onlySharedWith !== undefined)
    return sql`select q.* from projects q where q.id in (${invited(filter.onlySharedWith)})`;
  const id = filter.namespaceId;
  if (id === undefined) return null;
  const inside = filter.descendants
    ? sql`select q.* from namespaces_below(${id}) b (id)
        cross join lateral (select q.* from projects q where q.namespace_id = b.id offset 0) q`
    : sql`select q.* from projects q where q.namespace_id = ${id}`;
  if (!filter.shared) return inside;
  const home = filter.descendants ? below(id) : sql`(select ${id}::bigint)`;
  return sql`${inside} union all
    select q.* from projects q where q.id in (${invited(id)}) and q.namespace_id not in ${home}`;
}

/** Pushes, and what they did with merge requests, in the last year. */
const contributed = (id: number): Sql => sql`p.id in (select e.project_id from events e
    where e.author_id = ${id} and e.created_at > now() - interval '1 year'
      and (e.action in ('pushed', 'merged', 'closed', 'commented', 'approved')
        or e.action = 'created' and e.target_type is not null))`;

/** By itself or with a group above it. Few groups are archived: they are asked for first, and once. */
const isArchived = sql`(p.archived or p.namespace_id in (
  select namespaces_below(a.id) from namespaces a where a.archived))`;

/** Kinds of artifacts that scanners leave. */
const securityReports = [
  'sast',
  'secret_detection',
  'dependency_scanning',
  'container_scanning',
  'cluster_image_scanning',
  'dast',
  'coverage_fuzzing',
  'api_fuzzing',
];

function conditionsOf(filter: ProjectFilter): Sql[] {
  const found: Sql[] = [];
  const add = <T>(value: T | undefined, condition: (value: T) => Sql) => {
    if (value !== undefined) found.push(condition(value));
  };
  add(filter.archived, (value) => sql`${isArchived} = ${value}`);
  add(filter.active, (value) =>
    value
      ? sql`(not ${isArchived} and p.marked_for_deletion_on is null)`
      : sql`(${isArchived} or p.marked_for_deletion_on is not null)`,
  );
  add(filter.visibility, (value) => sql`p.visibility = ${value}`);
  add(filter.search === '' ? undefined : filter.search, (value) =>
    searchCondition(value, filter.searchNamespaces ?? false),
  );
  add(filter.topics, (value) => sql`p.topics @> ${[...value]}::text[]`);
  if (filter.issuesEnabled) found.push(sql`p.issues_access_level <> 'disabled'`);
  if (filter.mergeRequestsEnabled) found.push(sql`p.merge_requests_access_level <> 'disabled'`);
  add(filter.idAfter, (value) => sql`p.id > ${value}`);
  add(filter.idBefore, (value) => sql`p.id < ${value}`);
  add(filter.activityAfter, (value) => sql`p.last_activity_at >= ${value}`);
  add(filter.activityBefore, (value) => sql`p.last_activity_at <= ${value}`);
  add(filter.updatedAfter, (value) => sql`p.updated_at >= ${value}`);
  add(filter.updatedBefore, (value) => sql`p.updated_at <= ${value}`);
  add(filter.repositoryStorage, (value) => sql`p.repository_storage = ${value}`);
  add(filter.starredBy, (id) => sql`p.id in (select s.project_id from project_stars s where s.user_id = ${id})`);
  add(filter.contributedBy, contributed);
  add(
    filter.importedBy,
    (id) => sql`(p.creator_id = ${id} and p.import_status <> 'none' and p.forked_from_project_id is null)`,
  );
  add(filter.forkedFromId, (id) => sql`p.forked_from_project_id = ${id}`);
  add(filter.topicId, (id) => sql`p.topics && (select array_agg(t.name) from topics t where t.id = ${id})`);
  add(
    filter.language,
    (name) => sql`p.id in (select l.project_id from project_languages l where lower(l.name) = lower(${name}))`,
  );
  if (filter.securityReports)
    found.push(sql`exists (select from job_artifacts a where a.project_id = p.id
      and a.file_type = any(${securityReports}::text[]) and (a.expire_at is null or a.expire_at > now()))`);
  add(
    filter.hiddenAfterDays,
    (days) => sql`(p.marked_for_deletion_on is null or p.marked_for_deletion_on + ${days}::int > current_date)`,
  );
  if (filter.customAttributes) found.push(...hasCustomAttributes('project', sql`p.id`, filter.customAttributes));
  add(filter.markedForDeletionOn, (value) => sql`p.marked_for_deletion_on = ${value}::date`);
  return found;
}

const columns: Readonly<Record<Exclude<ProjectOrder, 'similarity'>, Sql>> = {
  id: sql`p.id`,
  name: sql`lower(p.name)`,
  path: sql`lower(p.path)`,
  created_at: sql`p.created_at`,
  updated_at: sql`p.updated_at`,
  last_activity_at: sql`p.last_activity_at`,
  star_count: sql`p.star_count`,
  repository_size: sql`st.repository_size`,
  storage_size: sql`st.storage_size`,
  packages_size: sql`st.packages_size`,
  wiki_size: sql`st.wiki_size`,
};

function orderBy({ order, direction }: ProjectWindow, search: string | undefined): Sql {
  if (order === 'similarity') {
    if (!search) return sql`lower(p.name), p.id`;
    return sql`greatest(similarity(p.path, ${search}), similarity(p.name, ${search})) desc, p.id desc`;
  }
  const way = sql.raw(direction);
  return order === 'id' ? sql`p.id ${way}` : sql`${columns[order]} ${way}, p.id ${way}`;
}

const sizes: ReadonlySet<ProjectOrder> = new Set(['repository_size', 'storage_size', 'packages_size', 'wiki_size']);
const withStatistics = sql`join project_statistics st on st.project_id = p.id`;

/** The order of keyset pages. */
export const projectIdOrder = (direction: 'asc' | 'desc') => idOrder<Project>(direction, sql`p.id`);

/** Filters that leave most projects in; by every other one few are found, and faster than through the caller's groups. */
const wide: ReadonlySet<string> = new Set([
  ...['archived', 'active', 'visibility', 'minimumLevel', 'idAfter', 'idBefore', 'searchNamespaces', 'descendants'],
  ...['activityAfter', 'activityBefore', 'updatedAfter', 'updatedBefore', 'repositoryStorage', 'shared'],
  ...['issuesEnabled', 'mergeRequestsEnabled', 'includePendingDelete', 'hiddenAfterDays'],
]);
const isWide = (filter: ProjectFilter): boolean =>
  Object.entries(filter).every(([name, value]) => value === undefined || value === '' || wide.has(name));

interface Source {
  readonly tables: Sql | null;
  readonly from: Sql;
  readonly conditions: readonly Sql[];
}

const withNamespace = sql`join namespaces n on n.id = p.namespace_id`;

/** The projects of a filter, to be counted or sorted: found by what narrows them most. */
function gathered(caller: Caller, filter: ProjectFilter): Source {
  const { tables, condition, rows } = projectScope(caller, { minimum: filter.minimumLevel ?? null });
  const rest = conditionsOf(filter);
  const { namespaceId: _id, onlySharedWith: _group, ...others } = filter;
  const wide = isWide(others);
  if (!wide && filter.search)
    return {
      tables,
      from: sql`projects p ${filter.searchNamespaces ? withNamespace : sql``}`,
      conditions: [condition, ...placeConditions(filter), ...rest],
    };
  const place = placeRows(filter);
  const byRole = place === null && wide ? rows : null;
  const found = place ?? byRole;
  const from = sql`${found ? sql`(${found}) p` : sql`projects p`} ${filter.searchNamespaces ? withNamespace : sql``}`;
  return { tables, from, conditions: byRole ? rest : [condition, ...rest] };
}

/** The same for a list with so many that the first ones are soon found along the index of its order. */
function walked(caller: Caller, filter: ProjectFilter): Source {
  const { tables, condition } = projectScope(caller, { minimum: filter.minimumLevel ?? null });
  const conditions = [sql`(${condition}) is true`, ...placeConditions(filter), ...conditionsOf(filter)];
  return { tables, from: sql`projects p ${withNamespace}`, conditions };
}

const pageColumns = (caller: Caller): Sql => sql`${sql.raw(projectColumns)}
    from page join projects p on p.id = page.id join namespaces n on n.id = p.namespace_id
      cross join ${levelsOf(caller.user?.id ?? null, true)}`;

const measuredBy = ({ order }: ProjectWindow): Sql => (sizes.has(order) ? withStatistics : sql``);

/** One page of them, sorted, as a table `page (id, position)`. */
function pageOf(filter: ProjectFilter, window: ProjectWindow, from: Sql, wanted: Sql): Sql {
  const order = orderBy(window, filter.search);
  return sql`page as materialized (
    select p.id, row_number() over (order by ${order}) as position from ${from} ${measuredBy(window)} where ${wanted}
    order by ${order} limit ${window.limit} offset ${window.offset})`;
}

const continuedFrom = (window: ProjectWindow): readonly Sql[] => {
  const after = projectIdOrder(window.direction).after(window.after);
  return after ? [after] : [];
};

/** The page of a long list: its first rows are soon found along the index of its order. */
export async function walkedPage(
  db: Db,
  caller: Caller,
  filter: ProjectFilter,
  window: ProjectWindow,
): Promise<ProjectRow[]> {
  const { tables, from, conditions } = walked(caller, filter);
  const page = pageOf(filter, window, from, allOf([...conditions, ...continuedFrom(window)]));
  const { rows } = await sql<ProjectRow>`${withTables(tables, page)}
    select ${pageColumns(caller)} order by page.position`.execute(db);
  return rows;
}

/** What a list is made of where it has up to `most`: found once, counted and sorted in the same statement. */
async function gatheredPage(
  db: Db,
  caller: Caller,
  filter: ProjectFilter,
  window: ProjectWindow,
  most: number | null,
): Promise<{ readonly count: number; readonly rows: ProjectRow[] }> {
  const { tables, from, conditions } = gathered(caller, filter);
  const wanted = allOf([...conditions, ...continuedFrom(window)]);
  const few = most === null ? sql`true` : sql`(select count from counted) <= ${most}`;
  const { rows } = await sql<{ count: number; position: number | null } & ProjectRow>`${withTables(
    tables,
    sql`candidates as materialized (select p.id from ${from} where ${wanted} limit ${most === null ? null : most + 1})`,
    sql`counted as materialized (select count(*)::int as count from candidates)`,
    pageOf(filter, window, sql`candidates join projects p on p.id = candidates.id ${withNamespace}`, few),
  )}
    select counted.count, listed.* from counted left join (select page.position, ${pageColumns(caller)}) listed on true
    order by listed.position`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    rows: rows.flatMap(({ count: _count, position, ...row }) => (position === null ? [] : [row])),
  };
}

/** From so many on a keyset page, which needs no total, is found along the index. */
const longKeyset = 1000;

export interface ProjectList {
  readonly items: ProjectSubject[];
  /** Counted up to one more than is ever told; null where nobody asks. */
  readonly total: number | null;
}

/**
 * One page of projects with their namespaces and the caller's level on each: a list that is not too long is found, counted
 * and sorted at once; another is counted so far and walked.
 */
export async function listProjects(
  db: Db,
  caller: Caller,
  filter: ProjectFilter,
  window: ProjectWindow,
  { counted = true }: { readonly counted?: boolean } = {},
): Promise<ProjectList> {
  const most = counted ? countLimit : longKeyset;
  const found = await gatheredPage(db, caller, filter, window, most);
  const listed = (rows: readonly ProjectRow[]): ProjectList => ({
    items: rows.map(toProjectSubject),
    total: counted ? found.count : null,
  });
  if (found.count <= most) return listed(found.rows);
  // No index has the order by similarity.
  if (window.order === 'similarity') return listed((await gatheredPage(db, caller, filter, window, null)).rows);
  return listed(await walkedPage(db, caller, filter, window));
}
