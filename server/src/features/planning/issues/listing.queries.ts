/** Lists of issues: their orders, their pages, and how many there are. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { countLimit, type Page } from '../../../kernel/http/pagination.ts';
import {
  type Direction,
  type KeysetColumn,
  type KeysetOrder,
  keysetOrder,
} from '../../../kernel/http/paging.queries.ts';
import { allOf, type Sql, withTables } from '../../namespaces/index.ts';
import { keyOf, rangesOf } from './counting.queries.ts';
import { type IssuePlace, type IssueQuery, isIndexedSearch, issueConditions } from './filter.queries.ts';
import { isMergeable, mergedIssues } from './merging.queries.ts';
import { epoch, type ListedRow, labelRank, walkIssues } from './walks.queries.ts';
import { type FarLists, pageNearby } from './window.queries.ts';

export const issueOrders = [
  'created_at',
  'due_date',
  'label_priority',
  'milestone_due',
  'popularity',
  'priority',
  'relative_position',
  'title',
  'updated_at',
  'weight',
] as const;
export type IssueOrder = (typeof issueOrders)[number];

const milestoneDue = sql`(select s.due_date - ${epoch} from milestones s where s.id = i.milestone_id)`;

/** Orders by what is worked out: the expressions, nulls last. */
const computed: Readonly<Partial<Record<IssueOrder, readonly Sql[]>>> = {
  due_date: [sql`(i.due_date - ${epoch})`],
  label_priority: [labelRank],
  milestone_due: [milestoneDue],
  priority: [milestoneDue, labelRank],
  relative_position: [sql`i.relative_position`],
  weight: [sql`i.weight`],
};

interface Worked {
  readonly values: readonly Sql[];
  /** Joined to rows `i`. */
  readonly joined: Sql;
}

/** What an order compares. In one project, labels with a priority are gathered once, not asked of each issue. */
function worked(by: IssueOrder, place: IssuePlace): Worked {
  const values = computed[by] ?? [];
  if (place.kind !== 'project') return { values, joined: sql`` };
  const { id } = place.subject.project;
  const ranks = sql`left join (select k.issue_id, min(r.priority) as rank from label_priorities r
      join issue_labels k on k.label_id = r.label_id where r.project_id = ${id} group by k.issue_id) ranks
    on ranks.issue_id = i.id`;
  switch (by) {
    case 'label_priority':
      return { values: [sql`ranks.rank`], joined: ranks };
    case 'priority':
      return { values: [milestoneDue, sql`ranks.rank`], joined: ranks };
    default:
      return { values, joined: sql`` };
  }
}

const plain: Readonly<Partial<Record<IssueOrder, Omit<KeysetColumn<ListedRow>, 'direction'>>>> = {
  created_at: { name: 'created_at', expression: sql`i.created_at`, type: 'time', value: (row) => row.created_at },
  updated_at: { name: 'updated_at', expression: sql`i.updated_at`, type: 'time', value: (row) => row.updated_at },
  popularity: {
    name: 'upvotes_count',
    expression: sql`i.upvotes_count`,
    type: 'integer',
    value: (row) => row.upvotes_count,
  },
  title: { name: 'title', expression: sql`lower(i.title)`, type: 'text', folded: true, value: (row) => row.title },
};

/** Of a group these are sorted: an index over those of all projects may be much longer than what there is to sort. */
const sortedInGroups: Readonly<Partial<Record<IssueOrder, Sql>>> = {
  popularity: sql`(i.upvotes_count + 0)`,
  title: sql`(lower(i.title) || '')`,
};

function orderOf(by: IssueOrder, direction: Direction, place: IssuePlace): Worked & { order: KeysetOrder<ListedRow> } {
  const id: KeysetColumn<ListedRow> = {
    name: 'id',
    expression: sql`i.id`,
    type: 'integer',
    direction,
    value: (row) => row.id,
  };
  const column = plain[by];
  if (column) {
    const expression = place.kind === 'group' ? sortedInGroups[by] : undefined;
    const sorted = expression ? { expression } : {};
    return { order: keysetOrder([{ ...column, ...sorted, direction }, id]), values: [], joined: sql`` };
  }
  const { values, joined } = worked(by, place);
  const names = ['first', 'second'] as const;
  const columns = values.map(
    (expression, at): KeysetColumn<ListedRow> => ({
      name: names[at] ?? 'first',
      expression,
      type: 'integer',
      direction,
      nullable: true,
      value: (row) => row[names[at] ?? 'first'],
    }),
  );
  return { order: keysetOrder([...columns, id]), values, joined };
}

type Sparse = Omit<KeysetColumn<ListedRow>, 'direction' | 'nullable'>;

/** Orders by a column that may be empty, for which there is an index. */
const sparse: Readonly<Partial<Record<IssueOrder, Sparse>>> = {
  due_date: { name: 'due_date', expression: sql`i.due_date`, type: 'date', value: (row) => row.due_date },
  relative_position: {
    name: 'relative_position',
    expression: sql`i.relative_position`,
    type: 'integer',
    value: (row) => row.relative_position,
  },
  weight: { name: 'weight', expression: sql`i.weight`, type: 'integer', value: (row) => row.weight },
};

/** Where there are few projects among many, nothing tells whether an index over all of them is shorter than sorting. */
function sparseOrder(list: IssueList, page: Window): Sparse | undefined {
  return list.place.kind === 'group' && !isMergeable(list, page.limit + page.offset) ? undefined : sparse[list.orderBy];
}

const noValues = sql`null::int as first, null::int as second`;

export interface IssueList extends IssueQuery {
  readonly orderBy: IssueOrder;
  readonly sort: Direction;
}

type Window = Pick<Page, 'limit' | 'offset' | 'after'> & Partial<Pick<Page, 'style'>>;

interface Listed {
  readonly rows: ListedRow[];
  /** How many there are, where that was found with them. */
  readonly total?: number;
  readonly cursorOf: KeysetOrder<ListedRow>['cursorOf'];
}

/**
 * A page in the order of a column that may be empty: of those with a value, then of those without, by their ids. Each is
 * walked along an index, which one order with the empty ones last could only be in one direction.
 */
async function listSparse(db: Db, list: IssueList, column: Sparse, page: Window): Promise<Listed> {
  const direction = list.sort;
  const id: KeysetColumn<ListedRow> = {
    ...{ name: 'id', expression: sql`i.id`, type: 'integer', direction },
    value: (row) => row.id,
  };
  const whole = keysetOrder([{ ...column, direction, nullable: true }, id]);
  whole.after(page.after);
  const { cursorOf } = whole;
  const found = issueConditions(list, 'walked');
  if (!found) return { rows: [], cursorOf };
  const read = async (present: boolean, limit: number, offset: number, after: Window['after']) => {
    const order = keysetOrder(present ? [{ ...column, direction }, id] : [id]);
    const past = order.after(after);
    const part = present ? sql`${column.expression} is not null` : sql`${column.expression} is null`;
    if (list.place.kind === 'group') {
      const by = present ? column.expression : sql`i.id`;
      const conditions = [part, ...(past ? [past] : [])];
      return await mergedIssues(db, list, { by, direction, conditions, columns: noValues, limit, offset });
    }
    const { rows } = await sql<ListedRow>`${found.with}
      select i.*, ${noValues} from issues i
      where ${allOf([found.where, part, ...(past ? [past] : [])])}
      order by ${order.orderBy} limit ${limit} offset ${offset}`.execute(db);
    return rows;
  };
  const { after, limit, offset } = page;
  if (after && after[column.name] === null)
    return { rows: await read(false, limit, offset, { id: after.id ?? null }), cursorOf };
  const filled = await read(true, limit, offset, after);
  if (filled.length === limit) return { rows: filled, cursorOf };
  const before = filled.length === 0 && offset > 0 ? await countFilled(db, found, column, offset) : offset;
  const empty = await read(false, limit - filled.length, offset - before, null);
  return { rows: [...filled, ...empty], cursorOf };
}

/** How many have a value, up to a number. */
async function countFilled(
  db: Db,
  found: NonNullable<ReturnType<typeof issueConditions>>,
  { expression }: Sparse,
  most: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`${found.with} select count(*)::int as count from (
    select from issues i where ${found.where} and ${expression} is not null limit ${most}) filled`.execute(db);
  return rows[0]?.count ?? 0;
}

/**
 * A first page of a project by the due dates of milestones, where those that are due fill it: the milestones are walked in
 * their order, and only the issues of the first days are sorted. Null where there are not enough.
 */
async function listDueFirst(db: Db, list: IssueList, page: Window): Promise<ListedRow[] | null> {
  const { place, orderBy, sort } = list;
  if (place.kind !== 'project' || (orderBy !== 'milestone_due' && orderBy !== 'priority') || page.after) return null;
  const found = issueConditions(list, 'walked');
  if (!found) return null;
  const { project, namespace } = place.subject;
  const { values, joined, order } = orderOf(orderBy, sort, place);
  const [, second = sql`null::int`] = values;
  // The days are in order already: what is behind them is sorted day by day, until the page is full.
  const { rows } = await sql<ListedRow>`${found.with}
    select i.*, s.due_date - ${epoch} as first, ${second} as second
    from (select t.id, t.due_date from milestones t where t.due_date is not null
        and (t.project_id = ${project.id} or t.namespace_id = any(${namespace.traversal_ids}::bigint[]))
        order by t.due_date ${sql.raw(sort)}) s
      cross join lateral (select i.* from issues i where i.milestone_id = s.id and ${found.where} offset 0) i ${joined}
    order by s.due_date ${sql.raw(sort)}, ${order.orderBy} limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows.length === page.limit ? rows : null;
}

/** A page of an order that is a column, among the next issues of it or of each project; null where it is not. */
async function listNearby(db: Db, list: IssueList, page: Window, far: FarLists | undefined): Promise<Listed | null> {
  const column = plain[list.orderBy];
  if (!column) return null;
  const direction = list.sort;
  const id = {
    name: 'id',
    expression: sql`i.id`,
    type: 'integer',
    direction,
    value: (row: ListedRow) => row.id,
  } as const;
  const order = keysetOrder<ListedRow>([{ ...column, direction }, id]);
  const { cursorOf } = order;
  const key = far ? keyOf(list) : null;
  const name = key && JSON.stringify([key, list.orderBy, list.sort]);
  if (!(name && far?.get(name))) {
    const known = far && name !== null ? { far, name } : undefined;
    const rows = await pageNearby(db, list, { order, by: column.expression, direction }, page, known);
    if (rows) return { rows, cursorOf };
    // Behind the cursor others may be nearer.
    if (name && !page.after) far?.set(name, true);
  }
  const { after, limit, offset } = page;
  if (!isMergeable(list, limit + offset)) return null;
  const past = order.after(after);
  const conditions = past ? [past] : [];
  const by = column.expression;
  const rows = await mergedIssues(db, list, { by, direction, conditions, columns: noValues, limit, offset });
  return { rows, cursorOf };
}

/**
 * A page of a search in a project with the number of all that it finds, from one look at the index of words. Null where there are
 * more than are counted: these are met with along the order.
 */
async function listFound(db: Db, list: IssueList, page: Window, far: FarLists): Promise<Listed | null> {
  const { place, orderBy, sort, filter } = list;
  const column = plain[orderBy];
  const key = keyOf(list);
  if (!column || key === null || place.kind !== 'project' || page.style !== 'offset') return null;
  if (!isIndexedSearch(filter.search ?? '')) return null;
  const name = JSON.stringify([key, 'found']);
  if (far.get(name)) return null;
  const { order } = orderOf(orderBy, sort, place);
  const found = issueConditions(list, 'walked');
  if (!found) return { rows: [], cursorOf: order.cursorOf, total: 0 };
  const way = sql.raw(sort);
  const hits = sql`hits as materialized (select i.id, ${column.expression} as compared from issues i
    where ${found.where} limit ${countLimit + 1})`;
  const gather = async () => {
    if (far.get(name)) return null;
    const { rows } = await sql<ListedRow & { total: number }>`${withTables(found.tables, hits)}
    select i.*, ${noValues}, c.total from (select count(*)::int as total from hits) c
      left join (select * from hits h order by h.compared ${way}, h.id ${way}
        limit ${page.limit} offset ${page.offset}) h on c.total <= ${countLimit}
      left join issues i on i.id = h.id
    order by h.compared ${way}, h.id ${way}`.execute(db);
    const total = rows[0]?.total ?? 0;
    if (total > countLimit) {
      far.set(name, true);
      return null;
    }
    return { rows: rows.filter(({ id }) => id !== null), total };
  };
  const wanted = JSON.stringify([name, rangesOf(list), orderBy, sort, page.limit, page.offset]);
  const gathered = await far.found(wanted, gather);
  return gathered && { ...gathered, cursorOf: order.cursorOf };
}

/** Rows of one page, and what continues it. */
export async function listIssues(db: Db, list: IssueList, page: Window, far?: FarLists): Promise<Listed> {
  const searched = far && (await listFound(db, list, page, far));
  if (searched) return searched;
  const nearby = await listNearby(db, list, page, far);
  if (nearby) return nearby;
  const column = sparseOrder(list, page);
  if (column) return await listSparse(db, list, column, page);
  const { order, values, joined } = orderOf(list.orderBy, list.sort, list.place);
  const after = order.after(page.after);
  const near = (await walkIssues(db, list, page)) ?? (await listDueFirst(db, list, page));
  if (near) return { rows: near, cursorOf: order.cursorOf };
  // What is a column has an index to walk along.
  const found = issueConditions(list, list.orderBy in plain ? 'walked' : 'all');
  if (!found) return { rows: [], cursorOf: order.cursorOf };
  const [first = sql`null::int`, second = sql`null::int`] = values;
  const { rows } = await sql<ListedRow>`${found.with}
    select i.*, ${first} as first, ${second} as second from issues i ${joined}
    where ${allOf([found.where, ...(after ? [after] : [])])}
    order by ${order.orderBy} limit ${page.limit} offset ${page.offset}`.execute(db);
  return { rows, cursorOf: order.cursorOf };
}
