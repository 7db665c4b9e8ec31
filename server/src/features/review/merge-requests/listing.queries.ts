/** SQL of lists of merge requests: their filters and their order. */
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import type { Database } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, withTables } from '../../namespaces/index.ts';

/** Who a list is narrowed to: an id, or `None` or `Any`, and people by name. */
export interface Wanted {
  readonly id?: number | string | undefined;
  readonly usernames?: readonly string[] | undefined;
}

export interface MergeRequestFilter {
  readonly projectId?: number;
  /** Those of a group's projects that the caller sees. */
  readonly group?: {
    readonly id: number;
    readonly caller: Caller;
    /** Also those of projects further below. */
    readonly descendants: boolean;
    /** Also those of archived projects. */
    readonly archived: boolean;
  };
  /** Those of all projects in which the caller sees them. */
  readonly visibleTo?: Caller;
  /** Only those that all of these people have approved. */
  readonly approvedByIds?: readonly number[] | undefined;
  readonly approvedByUsernames?: readonly string[] | undefined;
  readonly milestoneId?: number;
  readonly labels?: readonly string[] | undefined;
  readonly milestone?: string | undefined;
  /** What they must not have. */
  readonly not?:
    | { readonly labels?: readonly string[] | undefined; readonly milestone?: string | undefined }
    | undefined;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked' | 'all';
  readonly iids?: readonly number[] | undefined;
  readonly sourceBranch?: string | undefined;
  readonly targetBranch?: string | undefined;
  readonly authorId?: number | undefined;
  readonly authorUsername?: string | undefined;
  readonly assignee?: Wanted;
  readonly reviewer?: Wanted;
  readonly search?: string | undefined;
  readonly searchIn?: readonly string[] | undefined;
  readonly draft?: boolean | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly orderBy: 'created_at' | 'updated_at' | 'merged_at' | 'title';
  readonly sort: 'asc' | 'desc';
}

type Builder = ExpressionBuilder<Database, 'merge_requests'>;

/** Words in place of a title: nothing at all, or anything. */
const none = /^none$/i;
const any = /^any$/i;

function labelled(title: string) {
  const having = sql`select from merge_request_labels k join labels l on l.id = k.label_id
    where k.merge_request_id = merge_requests.id`;
  if (none.test(title)) return sql<SqlBool>`not exists (${having})`;
  return any.test(title) ? sql<SqlBool>`exists (${having})` : sql<SqlBool>`exists (${having} and l.title = ${title})`;
}

function planned(title: string) {
  if (none.test(title)) return sql<SqlBool>`milestone_id is null`;
  if (any.test(title)) return sql<SqlBool>`milestone_id is not null`;
  return sql<SqlBool>`exists (select from milestones s where s.id = merge_requests.milestone_id and s.title = ${title})`;
}

/** Conditions on those who are assigned, or asked to review. */
function followed(role: 'assignee' | 'reviewer', { id, usernames = [] }: Wanted) {
  const people = sql`select from merge_request_people p where p.merge_request_id = merge_requests.id and p.role = ${role}`;
  const named = usernames.map(
    (name) =>
      sql<SqlBool>`exists (${people} and p.user_id = (select u.id from users u where lower(u.username) = lower(${name})))`,
  );
  if (id === undefined) return named;
  if (typeof id === 'number') return [...named, sql<SqlBool>`exists (${people} and p.user_id = ${id})`];
  return [...named, none.test(id) ? sql<SqlBool>`not exists (${people})` : sql<SqlBool>`exists (${people})`];
}

function ofGroup({ id, caller, descendants, archived }: NonNullable<MergeRequestFilter['group']>) {
  const scope = abilityScope(caller, 'read_merge_request');
  return sql<SqlBool>`project_id in (${withTables(scope.tables)} select p.id from projects p
    where ${descendants ? sql`p.namespace_id in ${below(id)}` : sql`p.namespace_id = ${id}`}
      and ${archived ? sql`true` : sql`not p.archived`} and ${scope.condition})`;
}

function visible(caller: Caller) {
  const scope = abilityScope(caller, 'read_merge_request');
  return sql<SqlBool>`project_id in (${withTables(scope.tables)} select p.id from projects p where ${scope.condition})`;
}

/** Conditions on who has approved: every one of those who are named. */
function approved(ids: readonly number[], usernames: readonly string[]) {
  const by = sql`select from approvals a where a.merge_request_id = merge_requests.id`;
  return [
    ...ids.map((id) => sql<SqlBool>`exists (${by} and a.user_id = ${id})`),
    ...usernames.map(
      (name) =>
        sql<SqlBool>`exists (${by} and a.user_id = (select u.id from users u where lower(u.username) = lower(${name})))`,
    ),
  ];
}

function conditions(eb: Builder, filter: MergeRequestFilter) {
  const all: ReturnType<Builder['and']>[] = [];
  const add = (condition: ReturnType<Builder['and']>) => all.push(condition);
  if (filter.projectId !== undefined) add(eb.and([eb('project_id', '=', filter.projectId)]));
  if (filter.group) add(eb.and([ofGroup(filter.group)]));
  if (filter.visibleTo) add(eb.and([visible(filter.visibleTo)]));
  const approvals = approved(filter.approvedByIds ?? [], filter.approvedByUsernames ?? []);
  if (approvals.length > 0) add(eb.and(approvals));
  if (filter.milestoneId !== undefined) add(eb.and([eb('milestone_id', '=', filter.milestoneId)]));
  if (filter.labels && filter.labels.length > 0) add(eb.and(filter.labels.map(labelled)));
  if (filter.milestone !== undefined) add(eb.and([planned(filter.milestone)]));
  for (const title of filter.not?.labels ?? []) add(eb.not(labelled(title)));
  if (filter.not?.milestone !== undefined) add(eb.not(planned(filter.not.milestone)));
  if (filter.state !== 'all') add(eb.and([eb('state', '=', filter.state)]));
  if (filter.iids) add(eb.and([filter.iids.length > 0 ? eb('iid', 'in', [...filter.iids]) : sql<SqlBool>`false`]));
  if (filter.sourceBranch !== undefined) add(eb.and([eb('source_branch', '=', filter.sourceBranch)]));
  if (filter.targetBranch !== undefined) add(eb.and([eb('target_branch', '=', filter.targetBranch)]));
  if (filter.authorId !== undefined) add(eb.and([eb('author_id', '=', filter.authorId)]));
  if (filter.authorUsername !== undefined) {
    add(
      eb.and([
        sql<SqlBool>`author_id = (select id from users where lower(username) = lower(${filter.authorUsername}))`,
      ]),
    );
  }
  if (filter.assignee) add(eb.and(followed('assignee', filter.assignee)));
  if (filter.reviewer) add(eb.and(followed('reviewer', filter.reviewer)));
  if (filter.search) {
    const pattern = containing(filter.search);
    const columns = (filter.searchIn ?? ['title', 'description']).filter(
      (name) => name === 'title' || name === 'description',
    );
    add(eb.or(columns.map((name) => eb(name, 'ilike', pattern))));
  }
  if (filter.draft !== undefined) {
    const draft = sql<SqlBool>`title ~* '^\\s*(\\[draft\\]|\\(draft\\)|draft:|draft\\s-\\s|draft$)'`;
    add(eb.and([filter.draft ? draft : eb.not(draft)]));
  }
  if (filter.createdAfter) add(eb.and([eb('created_at', '>=', filter.createdAfter)]));
  if (filter.createdBefore) add(eb.and([eb('created_at', '<=', filter.createdBefore)]));
  if (filter.updatedAfter) add(eb.and([eb('updated_at', '>=', filter.updatedAfter)]));
  if (filter.updatedBefore) add(eb.and([eb('updated_at', '<=', filter.updatedBefore)]));
  return eb.and(all);
}

/** Rows of one page of a filtered list. */
export async function listRows(db: Db, filter: MergeRequestFilter, page: Page): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where((eb) => conditions(eb, filter))
    .orderBy(filter.orderBy, (order) => {
      const directed = filter.sort === 'asc' ? order.asc() : order.desc();
      // Only where there are missing values: an index does not serve the other columns with it.
      return filter.orderBy === 'merged_at' ? directed.nullsLast() : directed;
    })
    .orderBy('id', filter.sort)
    .limit(page.limit)
    .offset(page.offset)
    .execute();
}

/** The number of rows of a filtered list, counted up to one past the limit. */
export async function countRows(db: Db, filter: MergeRequestFilter): Promise<number> {
  return await countUpTo(
    db,
    db
      .selectFrom('merge_requests')
      .select('id')
      .where((eb) => conditions(eb, filter)),
  );
}
