/** SQL of merge requests: loading with people and project, and the columns that change. */
import { sql } from 'kysely';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label, MergeRequest, Project, User } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { milestonesById, type PlacedMilestone, type Responses, responsesTo } from '../../collaboration/index.ts';
import { type Firsts, firsts } from './firsts.queries.ts';
import { labelsOf } from './planned.queries.ts';

export type Person = Pick<
  User,
  'id' | 'name' | 'username' | 'state' | 'avatar_object_key' | 'locked_until' | 'public_email'
>;

export interface LoadedMergeRequest {
  readonly row: MergeRequest;
  readonly project: Pick<
    Project,
    | 'id'
    | 'namespace_id'
    | 'path'
    | 'squash_option'
    | 'merge_method'
    | 'only_allow_merge_if_all_discussions_are_resolved'
  > & {
    path_with_namespace: string;
  };
  readonly author: Person | null;
  readonly mergeUser: Person | null;
  readonly closedBy: Person | null;
  readonly assignees: readonly Person[];
  readonly reviewers: readonly Person[];
  readonly labels: readonly Label[];
  readonly milestone: PlacedMilestone | null;
  readonly responses: Responses;
  /** Whether threads that are not resolved keep it from being merged. */
  readonly blockedByThreads: boolean;
  /** Where one request is shown, not in lists. */
  readonly firsts?: Firsts;
}

type PlacedProject = LoadedMergeRequest['project'];

/** Where requests are, by project. */
export async function projectsOf(
  db: Db,
  rows: readonly MergeRequest[],
  known?: ProjectSubject,
): Promise<Map<number, PlacedProject>> {
  const ids = new Set(rows.map((row) => row.project_id));
  const found = new Map<number, PlacedProject>();
  if (known && ids.delete(known.project.id)) {
    const { id, namespace_id, path, squash_option, merge_method } = known.project;
    const { only_allow_merge_if_all_discussions_are_resolved } = known.project;
    const place = `${known.namespace.full_path}/${path}`;
    found.set(id, {
      ...{ id, namespace_id, path, squash_option, merge_method, only_allow_merge_if_all_discussions_are_resolved },
      path_with_namespace: place,
    });
  }
  if (ids.size === 0) return found;
  const projects = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select([
      'p.id',
      'p.namespace_id',
      'p.path',
      'p.squash_option',
      'p.merge_method',
      'p.only_allow_merge_if_all_discussions_are_resolved',
    ])
    .select(sql<string>`n.full_path || '/' || p.path`.as('path_with_namespace'))
    .where('p.id', 'in', [...ids])
    .execute();
  for (const project of projects) found.set(project.id, project);
  return found;
}

type Role = 'assignee' | 'reviewer' | 'author' | 'merge_user' | 'closed_by';

interface Involved extends Person {
  /** Beside the author, where they are wanted. */
  readonly firsts: { readonly deployed: string | null; readonly contribution: boolean } | null;
  readonly merge_request_id: number;
  readonly role: Role;
}

/** Everybody whom rows name, in the order in which they were named. */
async function involvedIn(db: Db, rows: readonly MergeRequest[], wanted: { firsts: boolean }): Promise<Involved[]> {
  const first = wanted.firsts
    ? sql`case when k.role = 'author' then (select ${firsts} from merge_requests r where r.id = k.merge_request_id) end`
    : sql`null`;
  const { rows: found } = await sql<Involved>`
    select k.merge_request_id, k.role, ${first} as firsts,
      u.id, u.name, u.username, u.state, u.avatar_object_key, u.locked_until, u.public_email
    from (
      select merge_request_id, user_id, role, position from merge_request_people
      where merge_request_id = any(${rows.map(({ id }) => id)}::bigint[])
      union all
      select * from unnest(
        ${rows.flatMap(({ id }) => [id, id, id])}::bigint[],
        ${rows.flatMap((row) => [row.author_id, row.merge_user_id, row.closed_by_id])}::bigint[],
        ${rows.flatMap(() => ['author', 'merge_user', 'closed_by'])}::text[],
        ${rows.flatMap(() => [0, 0, 0])}::int[])
    ) k (merge_request_id, user_id, role, position)
    join users u on u.id = k.user_id
    order by k.position, u.id`.execute(db);
  return found;
}

/**
 * Adds people, project, labels and milestone to rows, with the same few queries for any number of them. A project that is
 * known is not loaded again.
 */
export async function withPeople(
  db: Db,
  rows: readonly MergeRequest[],
  known?: ProjectSubject,
  wanted: { readonly firsts: boolean; readonly reader?: number | null } = { firsts: false },
): Promise<LoadedMergeRequest[]> {
  if (rows.length === 0) return [];
  const milestoneIds = [...new Set(rows.flatMap((row) => row.milestone_id ?? []))];
  const ids = rows.map((row) => row.id);
  const [projects, involved, labels, milestones, responses] = await Promise.all([
    projectsOf(db, rows, known),
    involvedIn(db, rows, wanted),
    labelsOf(db, ids),
    milestonesById(db, milestoneIds),
    responsesTo(db, 'merge_request', ids, wanted.reader ?? null),
  ]);
  const people = Map.groupBy(involved, ({ merge_request_id, role }) => `${merge_request_id}:${role}`);
  return rows.map((row) => {
    const project = projects.get(row.project_id);
    if (!project) throw new Error(`merge request ${row.id} has no project`);
    const of = (role: Role) => people.get(`${row.id}:${role}`) ?? [];
    const first = of('author')[0]?.firsts;
    return {
      row,
      project,
      author: of('author')[0] ?? null,
      mergeUser: of('merge_user')[0] ?? null,
      closedBy: of('closed_by')[0] ?? null,
      assignees: of('assignee'),
      reviewers: of('reviewer'),
      labels: labels.get(row.id) ?? [],
      milestone: milestones.find(({ id }) => id === row.milestone_id) ?? null,
      responses: responses(row.id),
      ...(first ? { firsts: { ...first, deployed: first.deployed === null ? null : new Date(first.deployed) } } : {}),
      blockedByThreads: project.only_allow_merge_if_all_discussions_are_resolved && responses(row.id).unresolved > 0,
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

export async function requireByIid(db: Db, projectId: number, iid: number): Promise<MergeRequest> {
  const row = await byIid(db, projectId, iid);
  if (!row) throw recordNotFound();
  return row;
}

/** Titles of those that exist among internal ids. */
export async function titlesByIid(
  db: Db,
  projectId: number,
  iids: readonly number[],
): Promise<Pick<MergeRequest, 'id' | 'iid' | 'title' | 'state'>[]> {
  if (iids.length === 0) return [];
  return await db
    .selectFrom('merge_requests')
    .select(['id', 'iid', 'title', 'state'])
    .where('project_id', '=', projectId)
    .where('iid', 'in', iids)
    .execute();
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
  readonly mergeAfter: Date | null;
  readonly approvalsBeforeMerge: number | null;
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
      merge_after: values.mergeAfter,
      approvals_before_merge: values.approvalsBeforeMerge,
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
    .executeTakeFirstOrThrow(() => recordNotFound());
}

/** The outcome of a trial merge, and the two commits that it was tried with. */
export interface Mergeability extends Pick<MergeRequest, 'merge_status' | 'has_conflicts'> {
  readonly checked_against: string;
}

/** The two commits that a merge was tried with, as they are stored. */
export const checkedAgainst = ({ target, head }: { readonly target: string; readonly head: string }): string =>
  `${target}:${head}`;

/**
 * Does not touch `updated_at`: looking at a request does not change it. `behind` counts the commits that only the target has;
 * null where nobody counted them.
 */
export async function recordMergeability(
  db: Db,
  id: number,
  outcome: Mergeability,
  behind: number | null,
): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set({ ...outcome, checked_behind: behind })
    .where('id', '=', id)
    .execute();
}

/** Has it tried anew when somebody looks. Until then it is as it was, as far as anybody knows. */
export async function forgetMergeability(db: Db, id: number): Promise<void> {
  await db
    .updateTable('merge_requests')
    .set({ merge_status: 'unchecked', checked_against: null })
    .where('id', '=', id)
    .execute();
}

export async function setPeople(
  tx: Db,
  id: number,
  role: 'assignee' | 'reviewer',
  userIds: readonly number[],
): Promise<void> {
  await tx
    .deleteFrom('merge_request_people')
    .where('merge_request_id', '=', id)
    .where('role', '=', role)
    .where('user_id', '<>', sql<number>`all(${[...userIds]}::bigint[])`)
    .execute();
  if (userIds.length === 0) return;
  await tx
    .insertInto('merge_request_people')
    .values(userIds.map((userId, position) => ({ merge_request_id: id, user_id: userId, role, position })))
    // Whoever stays keeps how far their review is.
    .onConflict((conflict) =>
      conflict
        .columns(['merge_request_id', 'role', 'user_id'])
        .doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })),
    )
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

export async function usernamesOf(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, username }) => [id, username]));
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

/** Those of a project's branches that open requests come from, or go into. */
export async function branchesOfRequests(
  db: Db,
  projectId: number,
  branches: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ branch: string }>`
    select branch from unnest(${[...branches]}::text[]) as pushed (branch)
    where exists (select from merge_requests r where r.source_project_id = ${projectId}
        and r.source_branch = pushed.branch and r.state = 'opened')
      or exists (select from merge_requests r where r.project_id = ${projectId}
        and r.target_branch = pushed.branch and r.state = 'opened')`.execute(db);
  return new Set(rows.map(({ branch }) => branch));
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

/** False where another request has deleted it. */
export async function deleteRow(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('merge_requests').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
