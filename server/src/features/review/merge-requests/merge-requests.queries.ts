/** SQL of merge requests: loading with people and project, lists by filter, and the columns that change. */
import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest, Project, User } from '../../../kernel/db/rows.ts';
import type { Database, MergeRequestVersionsTable } from '../../../kernel/db/tables.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

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
}

export interface MergeRequestFilter {
  readonly projectId: number;
  readonly state: 'opened' | 'closed' | 'merged' | 'locked' | 'all';
  readonly iids?: readonly number[] | undefined;
  readonly sourceBranch?: string | undefined;
  readonly targetBranch?: string | undefined;
  readonly authorId?: number | undefined;
  readonly authorUsername?: string | undefined;
  readonly assigneeId?: number | undefined;
  readonly reviewerId?: number | undefined;
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

function conditions(eb: Builder, filter: MergeRequestFilter) {
  const all: ReturnType<Builder['and']>[] = [];
  const add = (condition: ReturnType<Builder['and']>) => all.push(condition);
  add(eb.and([eb('project_id', '=', filter.projectId)]));
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
  for (const [role, id] of [
    ['assignee', filter.assigneeId],
    ['reviewer', filter.reviewerId],
  ] as const) {
    if (id !== undefined) {
      add(
        eb.and([
          sql<SqlBool>`exists (select 1 from merge_request_people p where p.merge_request_id = merge_requests.id and p.role = ${role} and p.user_id = ${id})`,
        ]),
      );
    }
  }
  if (filter.search) {
    const pattern = `%${filter.search.replaceAll(/[\\%_]/g, '\\$&')}%`;
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

/** Adds people and project to rows, with two queries for any number of them. */
export async function withPeople(db: Db, rows: readonly MergeRequest[]): Promise<LoadedMergeRequest[]> {
  if (rows.length === 0) return [];
  const projectIds = [...new Set(rows.map((row) => row.project_id))];
  const [projects, links] = await Promise.all([
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

/** Open requests whose head is the pipeline's commit: its merge request, or those from its branch. */
export async function openForPipeline(
  db: Db,
  pipeline: { projectId: number; mergeRequestId: number | null; ref: string; sha: string },
): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('state', '=', 'opened')
    .where('head_sha', '=', pipeline.sha)
    .where((eb) =>
      pipeline.mergeRequestId !== null
        ? eb('id', '=', pipeline.mergeRequestId)
        : eb.and([eb('source_project_id', '=', pipeline.projectId), eb('source_branch', '=', pipeline.ref)]),
    )
    .execute();
}

export async function setHeadPipeline(db: Db, id: number, pipelineId: number): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set({ head_pipeline_id: pipelineId })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('head_pipeline_id', 'is', null), eb('head_pipeline_id', '<', pipelineId)]))
    // Somebody may be removing the pipeline: wait for them, and then leave it.
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('pipelines').select('pipelines.id').where('pipelines.id', '=', pipelineId).forKeyShare()),
    )
    .execute();
}

/** The newest pipeline for a head commit of a request: its own, else one of the source branch. */
export async function newestPipelineFor(db: Db, request: MergeRequest): Promise<number | null> {
  if (request.head_sha === null || request.source_project_id === null) return null;
  const row = await db
    .selectFrom('pipelines')
    .select('id')
    .where('sha', '=', request.head_sha)
    .where((eb) =>
      eb.or([
        eb('merge_request_id', '=', request.id),
        eb.and([
          eb('project_id', '=', request.source_project_id),
          eb('ref', '=', request.source_branch),
          eb('merge_request_id', 'is', null),
        ]),
      ]),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

export async function deleteRow(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('merge_requests').where('id', '=', id).execute();
}

/** Open requests that wait for this pipeline, their head's newest. */
export async function waitingForPipeline(db: Db, pipelineId: number): Promise<MergeRequest[]> {
  return db
    .selectFrom('merge_requests')
    .selectAll()
    .where('head_pipeline_id', '=', pipelineId)
    .where('state', '=', 'opened')
    .where('auto_merge', '=', true)
    .execute();
}

/** What of a pipeline tells which requests it belongs to. */
export async function pipelineHead(
  db: Db,
  id: number,
): Promise<{ projectId: number; mergeRequestId: number | null; ref: string; sha: string } | null> {
  const row = await db
    .selectFrom('pipelines')
    .select(['project_id', 'merge_request_id', 'ref', 'sha'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { projectId: row.project_id, mergeRequestId: row.merge_request_id, ref: row.ref, sha: row.sha } : null;
}
