/** Lists of groups, filtered by what the caller may see. */

import { sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db, wordsOf } from '../../../kernel/db/index.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import { type CursorValues, countLimit } from '../../../kernel/http/pagination.ts';
import { idOrder, type KeysetOrder, keysetOrder } from '../../../kernel/http/paging.queries.ts';
import { allOf, grantHolds, groupScope, type Sql, withTables } from '../access/access.queries.ts';
import { below } from '../access/hierarchy.queries.ts';
import { groupColumns } from '../access/parents.queries.ts';
import { hasCustomAttributes } from '../custom-attributes/custom-attributes.queries.ts';

export type GroupOrder = 'name' | 'path' | 'id' | 'similarity';

export interface GroupFilter {
  /** The caller's lowest level; undefined for all that is visible. */
  readonly minimumLevel?: number | undefined;
  readonly skip?: readonly number[] | undefined;
  readonly search?: string | undefined;
  /** Look for the search in the last part of the path and the name only, not in the full path. */
  readonly shortPaths?: boolean | undefined;
  readonly visibility?: string | undefined;
  readonly topLevelOnly?: boolean | undefined;
  readonly parentId?: number | undefined;
  readonly idAfter?: number | undefined;
  readonly idBefore?: number | undefined;
  /** Set where nothing can fit. */
  readonly none?: boolean | undefined;
  readonly active?: boolean | undefined;
  readonly archived?: boolean | undefined;
  readonly markedForDeletionOn?: string | undefined;
  /** All of these values. */
  readonly customAttributes?: Readonly<Record<string, string>> | undefined;
  /** Only groups that the group was invited to. */
  readonly sharedWith?: number | undefined;
  /** Only groups that were invited to one of the groups. */
  readonly invitedTo?: readonly number[] | undefined;
  /** Anywhere below the group. */
  readonly ancestorId?: number | undefined;
}

export interface GroupWindow {
  readonly order: GroupOrder;
  readonly direction: 'asc' | 'desc';
  readonly limit: number;
  readonly offset: number;
  readonly after: CursorValues | null;
}

function conditionsOf(filter: GroupFilter): Sql[] {
  const found: Sql[] = [sql`n.kind = 'group'`];
  if (filter.skip && filter.skip.length > 0) found.push(sql`n.id <> all(${[...filter.skip]}::bigint[])`);
  const path = filter.shortPaths ? sql`n.path` : sql`n.full_path`;
  for (const word of wordsOf(filter.search ?? '')) {
    const pattern = containing(word);
    found.push(sql`(n.name ilike ${pattern} or ${path} ilike ${pattern})`);
  }
  if (filter.visibility) found.push(sql`n.visibility = ${filter.visibility}`);
  if (filter.active !== undefined)
    found.push(
      filter.active
        ? sql`(not n.archived and n.marked_for_deletion_on is null)`
        : sql`(n.archived or n.marked_for_deletion_on is not null)`,
    );
  if (filter.archived !== undefined) found.push(sql`n.archived = ${filter.archived}`);
  if (filter.markedForDeletionOn !== undefined)
    found.push(sql`n.marked_for_deletion_on = ${filter.markedForDeletionOn}::date`);
  if (filter.customAttributes) found.push(...hasCustomAttributes('group', sql`n.id`, filter.customAttributes));
  if (filter.sharedWith !== undefined)
    found.push(sql`n.id in (select s.namespace_id from grants s
      where s.group_id = ${filter.sharedWith} and s.namespace_id is not null and ${grantHolds('s')})`);
  if (filter.invitedTo)
    found.push(sql`n.id in (select s.group_id from grants s
      where s.group_id is not null and s.namespace_id = any(${[...filter.invitedTo]}::bigint[]) and ${grantHolds('s')})`);
  if (filter.none) found.push(sql`false`);
  if (filter.idAfter !== undefined) found.push(sql`n.id > ${filter.idAfter}`);
  if (filter.idBefore !== undefined) found.push(sql`n.id < ${filter.idBefore}`);
  if (filter.topLevelOnly) found.push(sql`n.parent_id is null`);
  if (filter.parentId !== undefined) found.push(sql`n.parent_id = ${filter.parentId}`);
  if (filter.ancestorId !== undefined)
    found.push(sql`n.id in ${below(filter.ancestorId)} and n.id <> ${filter.ancestorId}`);
  return found;
}

/** The order of a list by name, path or id; by similarity there is none that could be continued. */
export function groupOrder(name: Exclude<GroupOrder, 'similarity'>, direction: 'asc' | 'desc'): KeysetOrder<Namespace> {
  if (name === 'id') return idOrder<Namespace>(direction, sql`n.id`);
  return keysetOrder<Namespace>([
    {
      name,
      expression: sql`lower(${sql.ref(`n.${name}`)})`,
      type: 'text',
      folded: true,
      direction,
      value: (row) => row[name],
    },
    { name: 'id', expression: sql`n.id`, type: 'integer', direction, value: (row) => row.id },
  ]);
}

function orderBy({ order, direction }: GroupWindow, search: string | undefined): Sql {
  if (order !== 'similarity') return groupOrder(order, direction).orderBy;
  if (!search) return sql`lower(n.name), n.id`;
  return sql`greatest(similarity(n.path, ${search}), similarity(n.name, ${search})) desc, n.id desc`;
}

function afterCondition({ order, direction, after }: GroupWindow): Sql[] {
  const continued = order === 'similarity' ? null : groupOrder(order, direction).after(after);
  return continued ? [continued] : [];
}

/** How many a list has, counted up to one more than is ever told; null where nobody asks. */
interface GroupList {
  readonly items: Namespace[];
  readonly total: number | null;
}

/** One page of groups, counted in the same statement: what the caller may see is found once for both. */
export async function listGroups(
  db: Db,
  caller: Caller,
  filter: GroupFilter,
  window: GroupWindow,
  { counted = true }: { readonly counted?: boolean } = {},
): Promise<GroupList> {
  const scope = groupScope(caller, { minimum: filter.minimumLevel ?? null });
  const wanted = allOf([...conditionsOf(filter), scope.condition]);
  const page = sql`select ${sql.raw(groupColumns)} from namespaces n where ${allOf([wanted, ...afterCondition(window)])}
    order by ${orderBy(window, filter.search)} limit ${window.limit} offset ${window.offset}`;
  if (!counted) {
    const { rows } = await sql<Namespace>`${withTables(scope.tables)} ${page}`.execute(db);
    return { items: rows, total: null };
  }
  const { rows } = await sql<{ count: number; position: number | null } & Namespace>`${withTables(
    scope.tables,
    sql`counted as materialized (select count(*)::int as count from (
      select 1 from namespaces n where ${wanted} limit ${countLimit + 1}) counted)`,
    sql`page as materialized (select row_number() over () as position, found.* from (${page}) found)`,
  )} select counted.count, page.* from counted left join page on true order by page.position`.execute(db);
  return {
    items: rows.flatMap(({ count: _count, position, ...row }) => (position === null ? [] : [row])),
    total: rows[0]?.count ?? 0,
  };
}
