/** Lists of issues: their orders, their pages, and how many there are. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import {
  countUpTo,
  type Direction,
  type KeysetColumn,
  type KeysetOrder,
  keysetOrder,
} from '../../../kernel/http/paging.queries.ts';
import { allOf, type Sql } from '../../namespaces/index.ts';
import { type IssuePlace, type IssueQuery, issueConditions } from './filter.queries.ts';

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

/** A row with the values of its order that are not columns. */
export interface ListedRow extends Issue {
  readonly first: number | null;
  readonly second: number | null;
}

const epoch = sql`date '1970-01-01'`;
const labelRank = sql`(select min(r.priority) from issue_labels k
  join label_priorities r on r.label_id = k.label_id and r.project_id = i.project_id where k.issue_id = i.id)`;
const milestoneDue = sql`(select s.due_date - ${epoch} from milestones s where s.id = i.milestone_id)`;
const upvotes = sql`(select count(*)::int from award_emoji w where w.noteable_type = 'issue'
  and w.noteable_id = i.id and w.note_id is null and w.name = 'thumbsup')`;

/** Orders by what is worked out: the expressions, nulls last. */
const computed: Readonly<Partial<Record<IssueOrder, readonly Sql[]>>> = {
  due_date: [sql`(i.due_date - ${epoch})`],
  label_priority: [labelRank],
  milestone_due: [milestoneDue],
  popularity: [upvotes],
  priority: [milestoneDue, labelRank],
  relative_position: [sql`i.relative_position`],
  weight: [sql`i.weight`],
};

interface Worked {
  readonly values: readonly Sql[];
  /** Joined to rows `i`. */
  readonly joined: Sql;
}

/** What an order compares. In one project, labels with a priority and reactions are gathered once, not asked of each issue. */
function worked(by: IssueOrder, place: IssuePlace): Worked {
  const values = computed[by] ?? [];
  if (place.kind !== 'project') return { values, joined: sql`` };
  const { id } = place.subject.project;
  const ranks = sql`left join (select k.issue_id, min(r.priority) as rank from label_priorities r
      join issue_labels k on k.label_id = r.label_id where r.project_id = ${id} group by k.issue_id) ranks
    on ranks.issue_id = i.id`;
  const votes = sql`left join (select w.noteable_id, count(*)::int as count from issues v
      join award_emoji w on w.noteable_type = 'issue' and w.noteable_id = v.id and w.note_id is null and w.name = 'thumbsup'
      where v.project_id = ${id} group by w.noteable_id) votes on votes.noteable_id = i.id`;
  switch (by) {
    case 'label_priority':
      return { values: [sql`ranks.rank`], joined: ranks };
    case 'priority':
      return { values: [milestoneDue, sql`ranks.rank`], joined: ranks };
    case 'popularity':
      return { values: [sql`coalesce(votes.count, 0)`], joined: votes };
    default:
      return { values, joined: sql`` };
  }
}

const plain: Readonly<Partial<Record<IssueOrder, Omit<KeysetColumn<ListedRow>, 'direction'>>>> = {
  created_at: { name: 'created_at', expression: sql`i.created_at`, type: 'time', value: (row) => row.created_at },
  updated_at: { name: 'updated_at', expression: sql`i.updated_at`, type: 'time', value: (row) => row.updated_at },
  title: { name: 'title', expression: sql`lower(i.title)`, type: 'text', folded: true, value: (row) => row.title },
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
  if (column) return { order: keysetOrder([{ ...column, direction }, id]), values: [], joined: sql`` };
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

export interface IssueList extends IssueQuery {
  readonly orderBy: IssueOrder;
  readonly sort: Direction;
}

/** Rows of one page, and what continues it. */
export async function listIssues(
  db: Db,
  list: IssueList,
  page: Pick<Page, 'limit' | 'offset' | 'after'>,
): Promise<{ rows: ListedRow[]; cursorOf: KeysetOrder<ListedRow>['cursorOf'] }> {
  const { order, values, joined } = orderOf(list.orderBy, list.sort, list.place);
  const after = order.after(page.after);
  // Titles are compared folded; what else is a column has an index to walk along.
  const found = issueConditions(list, list.orderBy === 'created_at' || list.orderBy === 'updated_at');
  if (!found) return { rows: [], cursorOf: order.cursorOf };
  const [first = sql`null::int`, second = sql`null::int`] = values;
  const { rows } = await sql<ListedRow>`${found.with}
    select i.*, ${first} as first, ${second} as second from issues i ${joined}
    where ${allOf([found.where, ...(after ? [after] : [])])}
    order by ${order.orderBy} limit ${page.limit} offset ${page.offset}`.execute(db);
  return { rows, cursorOf: order.cursorOf };
}

/** How many there are, counted up to one past the limit. */
export async function countIssues(db: Db, query: IssueQuery): Promise<number> {
  const found = issueConditions(query, true);
  if (!found) return 0;
  const counted = {
    limit: (rows: number) => sql<unknown>`${found.with} select i.id from issues i where ${found.where} limit ${rows}`,
  };
  return await countUpTo(db, counted);
}

export interface StateCounts {
  readonly all: number;
  readonly opened: number;
  readonly closed: number;
}

export async function countByState(db: Db, query: IssueQuery): Promise<StateCounts> {
  const found = issueConditions(query, false);
  if (!found) return { all: 0, opened: 0, closed: 0 };
  const { rows } = await sql<StateCounts>`${found.with}
    select count(*)::int as all, count(*) filter (where i.state = 'opened')::int as opened,
      count(*) filter (where i.state = 'closed')::int as closed
    from issues i where ${found.where}`.execute(db);
  return rows[0] ?? { all: 0, opened: 0, closed: 0 };
}
