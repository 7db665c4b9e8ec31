/** SQL of merge requests: loading with people and project, lists by filter, and the columns that change. */
import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { containing, type Db } from '../../../kernel/db/index.ts';
import type { Label, MergeRequest, Project, User } from '../../../kernel/db/rows.ts';
import type { Database, MergeRequestVersionsTable } from '../../../kernel/db/tables.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, milestonesById, type PlacedMilestone, withTables } from '../../namespaces/index.ts';
import { labelsOf } from './planned.queries.ts';

export type Person = Pick<
  User,
  'id' | 'name' | 'username' | 'state' | 'avatar_object_key' | 'locked_until' | 'public_email'
>;

export interface LoadedMergeRequest {
  readonly row: MergeRequest;
  readonly project: Pick<Project, 'id' | 'squash_option' | 'merge_method'> & { path_with_namespace: string };
  readonly author: Person | null;
  readonly mergeUser: Person | null;
  readonly closedBy: Person | null;
  readonly assignees: readonly Person[];
  readonly reviewers: readonly Person[];
  readonly labels: readonly Label[];
  readonly milestone: PlacedMilestone | null;
}

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

function conditions(eb: Builder, filter: MergeRequestFilter) {
  const all: ReturnType<Builder['and']>[] = [];
  const add = (condition: ReturnType<Builder['and']>) => all.push(condition);
  if (filter.projectId !== undefined) add(eb.and([eb('project_id', '=', filter.projectId)]));
  if (filter.group) add(eb.and([ofGroup(filter.group)]));
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

/** Adds people, project, labels and milestone to rows, with the same few queries for any number of them. */
export async function withPeople(db: Db, rows: readonly MergeRequest[]): Promise<LoadedMergeRequest[]> {
  if (rows.length === 0) return [];
  const projectIds = [...new Set(rows.map((row) => row.project_id))];
  const milestoneIds = [...new Set(rows.flatMap((row) => row.milestone_id ?? []))];
  const [projects, links, labels, milestones] = await Promise.all([
    db
      .selectFrom('projects as p')
      .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
      .select(['p.id', 'p.squash_option', 'p.merge_method'])
      .select(sql<string>`n.full_path || '/' || p.path`.as('path_with_namespace'))
      .where('p.id', 'in', projectIds)
      .execute(),
    db
      .selectFrom('merge_request_people')
      .select(['merge_request_id', 'user_id', 'role'])
      .where(
        'merge_request_id',
        'in',
        rows.map((row) => row.id),
      )
      .orderBy('position')
      .orderBy('user_id')
      .execute(),
    labelsOf(
      db,
      rows.map((row) => row.id),
    ),
    milestonesById(db, milestoneIds),
  ]);
  const ids = new Set(links.map((link) => link.user_id));
  for (const row of rows)
    for (const id of [row.author_id, row.merge_user_id, row.closed_by_id]) if (id !== null) ids.add(id);
  const people = new Map<number, Person>();
  if (ids.size > 0) {
    const users = await db
      .selectFrom('users')
      .select(['id', 'name', 'username', 'state', 'avatar_object_key', 'locked_until', 'public_email'])
      .where('id', 'in', [...ids])
      .execute();
    for (const user of users) people.set(user.id, user);
  }
  const person = (id: number | null) => (id === null ? null : (people.get(id) ?? null));
  const byId = new Map(projects.map((project) => [project.id, project]));
  return rows.map((row) => {
    const project = byId.get(row.project_id);
    if (!project) throw new Error(`merge request ${row.id} has no project`);
    const of = (role: string) =>
      links
        .filter((link) => link.merge_request_id === row.id && link.role === role)
        .flatMap((link) => person(link.user_id) ?? []);
    return {
      row,
      project,
      author: person(row.author_id),
      mergeUser: person(row.merge_user_id),
      closedBy: person(row.closed_by_id),
      assignees: of('assignee'),
      reviewers: of('reviewer'),
      labels: labels.get(row.id) ?? [],
      milestone: milestones.find(({ id }) => id === row.milestone_id) ?? null,
    };
  });
}

export async function byIid(db: Db, projectId: number, iid: number): Promise<MergeRequest | null> {
  const row = await db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  return row ?? null;
}

export async function byId(db: Db, id: number): Promise<MergeRequest | null> {
  return (await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The row, locked until the transaction ends. */
export async function lockById(tx: Db, id: number): Promise<MergeRequest | null> {
  return (
    (await tx.selectFrom('merge_requests').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null
  );
}

export interface NewMergeRequest {
  readonly iid: number;
  readonly projectId: number;
  readonly sourceProjectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | null;
  readonly squash: boolean;
  readonly forceRemoveSourceBranch: boolean | null;
  readonly allowCollaboration: boolean;
  readonly headSha: string;
  readonly baseSha: string;
  readonly startSha: string;
  readonly milestoneId: number | null;
}

export async function insertRow(tx: Db, values: NewMergeRequest): Promise<MergeRequest> {
  return tx
    .insertInto('merge_requests')
    .values({
      iid: values.iid,
      project_id: values.projectId,
      source_project_id: values.sourceProjectId,
      source_branch: values.sourceBranch,
      target_branch: values.targetBranch,
      author_id: values.authorId,
      title: values.title,
      description: values.description,
      squash: values.squash,
      force_remove_source_branch: values.forceRemoveSourceBranch,
      allow_collaboration: values.allowCollaboration,
      head_sha: values.headSha,
      base_sha: values.baseSha,
      start_sha: values.startSha,
      milestone_id: values.milestoneId,
      prepared_at: new Date(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes columns of a row and its `updated_at`. */
export async function updateRow(
  tx: Db,
  id: number,
  values: Partial<Omit<MergeRequest, 'id' | 'auto_merge_params'>> & { auto_merge_params?: string | null },
): Promise<MergeRequest> {
  return tx
    .updateTable('merge_requests')
    .set({ ...values, updated_at: new Date() })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow(() => notFound('Merge Request'));
}

/** Records the outcome of a trial merge without touching `updated_at`: looking at a request does not change it. */
export async function recordMergeability(
  db: Db,
  id: number,
  outcome: { mergeStatus: MergeRequest['merge_status']; hasConflicts: boolean; checkedAgainst: string },
): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set({
      merge_status: outcome.mergeStatus,
      has_conflicts: outcome.hasConflicts,
      checked_against: outcome.checkedAgainst,
    })
    .where('id', '=', id)
    .execute();
}

export async function setPeople(
  tx: Db,
  id: number,
  role: 'assignee' | 'reviewer',
  userIds: readonly number[],
): Promise<void> {
  await tx.deleteFrom('merge_request_people').where('merge_request_id', '=', id).where('role', '=', role).execute();
  if (userIds.length === 0) return;
  await tx
    .insertInto('merge_request_people')
    .values(userIds.map((userId, position) => ({ merge_request_id: id, user_id: userId, role, position })))
    // Two changes at the same time have each removed what was there before both.
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Of the given users, those that exist and are active, each once. */
export async function activeUsers(db: Db, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', [...ids])
    .where('state', '=', 'active')
    .execute();
  const found = new Set(rows.map((row) => row.id));
  return [...new Set(ids)].filter((id) => found.has(id));
}

/** Active users by the name or id that somebody wrote, in lower case. */
export async function usersNamed(db: Db, names: readonly string[]): Promise<Map<string, number>> {
  if (names.length === 0) return new Map();
  const written = [...new Set(names.map((name) => name.toLowerCase()))];
  const ids = written.filter((name) => /^\d{1,9}$/.test(name)).map(Number);
  const rows = await db
    .selectFrom('users')
    .select(['id', sql<string>`lower(username)`.as('name')])
    .where('state', '=', 'active')
    .where((eb) => eb.or([eb(sql`lower(username)`, 'in', written), ...(ids.length > 0 ? [eb('id', 'in', ids)] : [])]))
    .execute();
  return new Map(
    [...rows.map(({ id }) => [String(id), id] as const), ...rows.map(({ id, name }) => [name, id] as const)].filter(
      ([name]) => written.includes(name),
    ),
  );
}

export async function insertVersion(
  tx: Db,
  values: { id: number; headSha: string; baseSha: string; startSha: string },
): Promise<void> {
  await tx
    .insertInto('merge_request_versions')
    .values({
      merge_request_id: values.id,
      head_sha: values.headSha,
      base_sha: values.baseSha,
      start_sha: values.startSha,
    })
    .execute();
}

export async function versions(db: Db, id: number): Promise<Selectable<MergeRequestVersionsTable>[]> {
  return db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', id)
    .orderBy('id', 'desc')
    .execute();
}

/** Open requests from a branch of a project. */
export async function openFromBranch(db: Db, sourceProjectId: number, branch: string): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('source_project_id', '=', sourceProjectId)
    .where('source_branch', '=', branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute();
}

/** Ids of open requests to other projects from a fork, and of those whose source is gone altogether. */
export async function openFromFork(db: Db, projectId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('state', '=', 'opened')
    .where((eb) => eb.or([eb('source_project_id', '=', projectId), eb('source_project_id', 'is', null)]))
    .where('project_id', '<>', projectId)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Open requests to other projects whose authors let people there push to their branches. */
export async function collaborations(
  db: Db,
  sourceProjectId: number,
  limit: number,
): Promise<Pick<MergeRequest, 'project_id' | 'source_branch' | 'target_branch'>[]> {
  return await db
    .selectFrom('merge_requests')
    .select(['project_id', 'source_branch', 'target_branch'])
    .where('source_project_id', '=', sourceProjectId)
    .where('state', '=', 'opened')
    .where('allow_collaboration', '=', true)
    .whereRef('project_id', '<>', 'source_project_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Open requests into a branch of a project. */
export async function openIntoBranch(db: Db, projectId: number, branch: string): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('target_branch', '=', branch)
    .where('state', '=', 'opened')
    .orderBy('id')
    .execute();
}

export async function deleteRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('merge_requests').where('id', '=', id).execute();
}
