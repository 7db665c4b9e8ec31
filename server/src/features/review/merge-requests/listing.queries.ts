/** SQL of lists of merge requests: their filters and their order. */
import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
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

type Column = 'created_at' | 'updated_at' | 'merged_at' | 'title';
type Order = Column | 'popularity' | 'milestone_due' | 'label_priority' | 'priority';

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
  /** With `visibleTo`: not those of archived projects. */
  readonly unarchived?: true;
  /** Only those whose approval rules name all of these people; `None` or `Any` in place of an id. */
  readonly approverIds?: readonly (number | string)[] | undefined;
  /** Only those that all of these people have approved; `None` or `Any` in place of an id. */
  readonly approvedByIds?: readonly (number | string)[] | undefined;
  readonly approvedByUsernames?: readonly string[] | undefined;
  readonly milestoneId?: number;
  readonly labels?: readonly string[] | undefined;
  readonly milestone?: string | undefined;
  /** What they must not have. */
  readonly not?:
    | {
        readonly labels?: readonly string[] | undefined;
        readonly milestone?: string | undefined;
        readonly author?: Wanted;
        readonly assignee?: Wanted;
        readonly reviewer?: Wanted;
        readonly reaction?: string | undefined;
        readonly sourceBranch?: string | undefined;
        readonly targetBranch?: string | undefined;
      }
    | undefined;
  readonly mergeUser?: Wanted;
  /** A reaction, and whose. */
  readonly reaction?: string | undefined;
  readonly reactionsOf?: number | undefined;
  /** Whether anybody has approved. */
  readonly approved?: boolean | undefined;
  readonly sourceProjectId?: number | undefined;
  /** Only those that this deployment brought. */
  readonly deploymentId?: number;
  /** Successful deployments that brought it. */
  readonly deployed?: {
    readonly after?: Date | undefined;
    readonly before?: Date | undefined;
    readonly environment?: string | undefined;
  };
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
  readonly orderBy: Order;
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

const named = (username: string) => sql`(select u.id from users u where lower(u.username) = lower(${username}))`;

/** Conditions on those who are assigned, or asked to review. */
function followed(role: 'assignee' | 'reviewer', { id, usernames = [] }: Wanted) {
  const people = sql`select from merge_request_people p where p.merge_request_id = merge_requests.id and p.role = ${role}`;
  const wanted = usernames.map((name) => sql<SqlBool>`exists (${people} and p.user_id = ${named(name)})`);
  if (id === undefined) return wanted;
  if (typeof id === 'number') return [...wanted, sql<SqlBool>`exists (${people} and p.user_id = ${id})`];
  return [...wanted, none.test(id) ? sql<SqlBool>`not exists (${people})` : sql<SqlBool>`exists (${people})`];
}

/** Conditions on a person whom the row itself names. */
function isPerson(column: 'author_id' | 'merge_user_id', { id, usernames = [] }: Wanted) {
  const person = sql.ref(`merge_requests.${column}`);
  return [
    ...(id === undefined ? [] : [sql<SqlBool>`${person} = ${id}`]),
    ...usernames.map((name) => sql<SqlBool>`${person} = ${named(name)}`),
  ];
}

/** Reactions of one person to the request itself. */
function reacted(name: string, userId: number) {
  const own = sql`select from award_emoji a where a.noteable_type = 'merge_request' and a.noteable_id = merge_requests.id
    and a.note_id is null and a.user_id = ${userId}`;
  if (none.test(name)) return sql<SqlBool>`not exists (${own})`;
  return any.test(name) ? sql<SqlBool>`exists (${own})` : sql<SqlBool>`exists (${own} and a.name = ${name})`;
}

function ofGroup({ id, caller, descendants, archived }: NonNullable<MergeRequestFilter['group']>) {
  const scope = abilityScope(caller, 'read_merge_request');
  return sql<SqlBool>`project_id in (${withTables(scope.tables)} select p.id from projects p
    where ${descendants ? sql`p.namespace_id in ${below(id)}` : sql`p.namespace_id = ${id}`}
      and ${archived ? sql`true` : sql`not p.archived`} and ${scope.condition})`;
}

/** `each`: of each request its own project is asked, where a page is found along an index; else all that are seen. */
function visible(caller: Caller, archived: boolean, each: boolean) {
  const scope = abilityScope(caller, 'read_merge_request');
  const tables = withTables(scope.tables);
  const condition = sql`${archived ? sql`true` : sql`not p.archived`} and ${scope.condition}`;
  return each
    ? sql<SqlBool>`(${tables} select ${condition} from projects p where p.id = merge_requests.project_id)`
    : sql<SqlBool>`project_id in (${tables} select p.id from projects p where ${condition})`;
}

/** Whether requests are looked at in the order of an index until there are enough. */
const isWalked = ({ orderBy, labels, search }: MergeRequestFilter) =>
  isColumn(orderBy) && labels === undefined && search === undefined;

/** Conditions that rows of people exist for all of the ids; `None` and `Any` ask for no row and for any. */
const madeBy = (rows: RawBuilder<unknown>, userId: RawBuilder<unknown>, wanted: readonly (number | string)[]) =>
  wanted.map((id) => {
    if (typeof id === 'number') return sql<SqlBool>`exists (${rows} and ${userId} = ${id})`;
    return none.test(id) ? sql<SqlBool>`not exists (${rows})` : sql<SqlBool>`exists (${rows})`;
  });

/** Conditions on who has approved: every one of those who are named. */
function approved(ids: readonly (number | string)[], usernames: readonly string[]) {
  const by = sql`select from approvals a where a.merge_request_id = merge_requests.id`;
  return [
    ...madeBy(by, sql`a.user_id`, ids),
    ...usernames.map((name) => sql<SqlBool>`exists (${by} and a.user_id = ${named(name)})`),
  ];
}

/** Conditions on whom approval rules name: those of the request, and those of its project that it has not changed. */
const approvers = (ids: readonly (number | string)[]) =>
  madeBy(
    sql`select from approval_rules r join approval_rule_users w on w.rule_id = r.id
      where (r.merge_request_id = merge_requests.id or (r.project_id = merge_requests.project_id and not exists (
        select from approval_rules o where o.merge_request_id = merge_requests.id and o.source_rule_id = r.id)))`,
    sql`w.user_id`,
    ids,
  );

/** A condition on the successful deployments that brought the request. */
function deployed({ after, before, environment }: NonNullable<MergeRequestFilter['deployed']>) {
  if (after === undefined && before === undefined && environment === undefined) return [];
  return [
    sql<SqlBool>`exists (select from deployment_merge_requests k join deployments d on d.id = k.deployment_id
      join environments e on e.id = d.environment_id
      where k.merge_request_id = merge_requests.id and d.status = 'success'
        and ${after === undefined ? sql`true` : sql`d.finished_at > ${after}`}
        and ${before === undefined ? sql`true` : sql`d.finished_at < ${before}`}
        and ${environment === undefined ? sql`true` : sql`e.name = ${environment}`})`,
  ];
}

/** What a list leaves out: each of them, not only those that have all of it. */
function unwanted({ not = {}, reactionsOf: me }: MergeRequestFilter) {
  return [
    ...isPerson('author_id', not.author ?? {}),
    ...followed('assignee', not.assignee ?? {}),
    ...followed('reviewer', not.reviewer ?? {}),
    ...(not.reaction === undefined || me === undefined ? [] : [reacted(not.reaction, me)]),
    ...(not.sourceBranch === undefined ? [] : [sql<SqlBool>`source_branch = ${not.sourceBranch}`]),
    ...(not.targetBranch === undefined ? [] : [sql<SqlBool>`target_branch = ${not.targetBranch}`]),
  ];
}

const milestoneDue = sql<string>`(select s.due_date from milestones s where s.id = merge_requests.milestone_id)`;
const labelPriority = sql<number>`(select min(r.priority) from merge_request_labels k join label_priorities r
  on r.label_id = k.label_id and r.project_id = merge_requests.project_id where k.merge_request_id = merge_requests.id)`;

/** What a list is ordered by that is not a column, smallest first. */
const orders: Readonly<Record<Exclude<Order, Column>, readonly RawBuilder<unknown>[]>> = {
  popularity: [
    sql<number>`(select count(*) from award_emoji a where a.noteable_type = 'merge_request'
      and a.noteable_id = merge_requests.id and a.note_id is null and a.name = 'thumbsup')`,
  ],
  milestone_due: [milestoneDue],
  label_priority: [labelPriority],
  priority: [milestoneDue, labelPriority],
};

const isColumn = (by: Order): by is Column => !(by in orders);

function conditions(eb: Builder, filter: MergeRequestFilter) {
  const all: ReturnType<Builder['and']>[] = [];
  const add = (condition: ReturnType<Builder['and']>) => all.push(condition);
  if (filter.projectId !== undefined) add(eb.and([eb('project_id', '=', filter.projectId)]));
  if (filter.group) add(eb.and([ofGroup(filter.group)]));
  if (filter.visibleTo) add(eb.and([visible(filter.visibleTo, !filter.unarchived, isWalked(filter))]));
  const approvals = approved(filter.approvedByIds ?? [], filter.approvedByUsernames ?? []);
  if (approvals.length > 0) add(eb.and(approvals));
  if (filter.approverIds && filter.approverIds.length > 0) add(eb.and(approvers(filter.approverIds)));
  if (filter.deploymentId !== undefined) {
    add(
      eb('id', 'in', (of) =>
        of
          .selectFrom('deployment_merge_requests')
          .select('merge_request_id')
          .where('deployment_id', '=', filter.deploymentId!),
      ),
    );
  }
  for (const condition of deployed(filter.deployed ?? {})) add(eb.and([condition]));
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
  if (filter.mergeUser) add(eb.and(isPerson('merge_user_id', filter.mergeUser)));
  if (filter.sourceProjectId !== undefined) add(eb.and([eb('source_project_id', '=', filter.sourceProjectId)]));
  const me = filter.reactionsOf;
  if (filter.reaction !== undefined) add(eb.and([me === undefined ? eb.lit(false) : reacted(filter.reaction, me)]));
  if (filter.approved !== undefined) {
    const some = sql<SqlBool>`exists (select from approvals a where a.merge_request_id = merge_requests.id)`;
    add(eb.and([filter.approved ? some : eb.not(some)]));
  }
  for (const condition of unwanted(filter)) add(eb.not(condition));
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
export async function listRows(
  db: Db,
  filter: MergeRequestFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<MergeRequest[]> {
  const { orderBy: by, sort } = filter;
  const keys = isColumn(by) ? [sql.ref(by)] : orders[by];
  // Only where there are missing values: an index does not serve the other columns with it.
  const missing = by === 'merged_at' || !isColumn(by) ? sql` nulls last` : sql``;
  const direction = sort === 'asc' ? sql`asc` : sql`desc`;
  const order = sql.join([...keys.map((key) => sql`${key} ${direction}${missing}`), sql`id ${direction}`]);
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where((eb) => conditions(eb, filter))
    .orderBy(order)
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

export interface StateCounts {
  readonly all: number;
  readonly opened: number;
  readonly closed: number;
  readonly merged: number;
}

/** How many match in each state, whatever state the filter names. */
export async function countByState(db: Db, filter: MergeRequestFilter): Promise<StateCounts> {
  const inState = (state: string) => sql<number>`count(*) filter (where state = ${state})::int`;
  return await db
    .selectFrom('merge_requests')
    .select([
      sql<number>`count(*)::int`.as('all'),
      inState('opened').as('opened'),
      inState('closed').as('closed'),
      inState('merged').as('merged'),
    ])
    .where((eb) => conditions(eb, { ...filter, state: 'all' }))
    .executeTakeFirstOrThrow();
}
