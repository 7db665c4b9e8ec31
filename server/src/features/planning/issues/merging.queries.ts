/** Pages of lists of groups: the first issues of its projects are compared, and more is read only of those that come first. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { allOf, type Sql, withTables } from '../../namespaces/index.ts';
import { type IssueQuery, isCommon, issueConditions, isTitled } from './filter.queries.ts';
import type { ListedRow } from './walks.queries.ts';

/** More rows than this are read of every project rather than of the first. */
const deepest = 200;

export const isMergeable = (query: IssueQuery, rows: number): boolean =>
  query.place.kind === 'group' && rows <= deepest && isCommon(query) && !isTitled(query);

interface Reading {
  /** What is compared before the id. */
  readonly by: Sql;
  readonly direction: 'asc' | 'desc';
  /** Those of the milestones `s` that meet it, rather than of the projects. */
  readonly milestones?: Sql | undefined;
  /** Besides what the list is narrowed by. */
  readonly conditions: readonly Sql[];
  /** Shown with each row. */
  readonly columns: Sql;
  readonly limit: number;
  readonly offset: number;
}

/**
 * The first rows of an order that has an index within each project. Those of the whole are of the projects whose own first
 * ones come first: of each project one row is looked for, and of so many projects as there are rows on the page a page.
 */
export async function mergedIssues(db: Db, query: IssueQuery, reading: Reading): Promise<ListedRow[]> {
  const { by, limit, milestones, offset } = reading;
  const found = issueConditions(query, milestones ? 'near' : 'merged');
  if (!found) return [];
  const way = sql.raw(reading.direction);
  const most = limit + offset;
  const parent = sql.raw(milestones ? 'i.milestone_id' : 'i.project_id');
  const within = (id: Sql) => sql`from issues i where ${parent} = ${id}
    and ${allOf([found.where, ...reading.conditions])} order by ${by} ${way}, i.id ${way}`;
  const parents = sql.raw(milestones ? 'milestones s' : 'projects p');
  const heads = sql`heads as materialized (
    select h.* from ${parents} cross join lateral (
        select ${by} as compared, i.id, ${parent} as parent ${within(sql.raw(milestones ? 's.id' : 'p.id'))} limit 1) h
      where ${milestones ?? found.projects} order by h.compared ${way}, h.id ${way} limit ${most})`;
  const { rows } = await sql<ListedRow>`${withTables(found.tables, heads)}
    select i.*, ${reading.columns} from heads h
      cross join lateral (select i.*, ${by} as compared ${within(sql.raw('h.parent'))} limit ${most}) i
    order by i.compared ${way}, i.id ${way} limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
