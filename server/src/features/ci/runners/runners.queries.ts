/** Rows of `runners`, what they belong to, and their processes. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Namespace, Project, Runner, RunnerManager, User } from '../../../kernel/db/rows.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo, type Direction } from '../../../kernel/http/paging.queries.ts';
import { jobOrder } from '../jobs/jobs.queries.ts';
import { onlineSeconds, type RunnerStatus, staleSeconds } from './runner-status.ts';

type RunnerType = Runner['runner_type'];

/** Which runners: all, those that a user manages, or those that serve a project or a group. */
export type RunnerScope =
  | { readonly of: 'instance' }
  | { readonly of: 'user'; readonly userId: number }
  | { readonly of: 'project'; readonly projectId: number }
  | { readonly of: 'group'; readonly traversalIds: readonly number[] };

export interface RunnerFilter {
  readonly types?: readonly RunnerType[] | undefined;
  readonly status?: RunnerStatus | undefined;
  readonly paused?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly versionPrefix?: string | undefined;
}

const never: RawBuilder<boolean> = sql<boolean>`false`;

function inScope(scope: RunnerScope): RawBuilder<boolean> {
  switch (scope.of) {
    case 'instance':
      return sql<boolean>`true`;
    case 'project':
      return sql<boolean>`(
        exists (select from runner_projects where runner_projects.runner_id = runners.id and runner_projects.project_id = ${scope.projectId})
        or exists (
          select from projects join namespaces on namespaces.id = projects.namespace_id
          where projects.id = ${scope.projectId} and case runners.runner_type
            when 'instance_type' then projects.shared_runners_enabled
            when 'group_type' then projects.group_runners_enabled and runners.namespace_id = any (namespaces.traversal_ids)
            else false
          end
        )
      )`;
    case 'group':
      return sql<boolean>`(
        runners.runner_type = 'instance_type'
        or (runners.runner_type = 'group_type' and runners.namespace_id = any (${[...scope.traversalIds]}::bigint[]))
      )`;
    case 'user':
      // Whoever maintains one of a runner's projects, or owns its group or one above it.
      return sql<boolean>`(
        (runners.runner_type = 'project_type' and exists (
          select from runner_projects join projects on projects.id = runner_projects.project_id
            join namespaces on namespaces.id = projects.namespace_id
            join grants on grants.project_id = projects.id or grants.namespace_id = any (namespaces.traversal_ids)
          where runner_projects.runner_id = runners.id and grants.user_id = ${scope.userId} and grants.level >= 40
            and (grants.expires_at is null or grants.expires_at > (now() at time zone 'utc')::date)
        ))
        or (runners.runner_type = 'group_type' and exists (
          select from namespaces join grants on grants.namespace_id = any (namespaces.traversal_ids)
          where namespaces.id = runners.namespace_id and grants.user_id = ${scope.userId} and grants.level >= 50
            and (grants.expires_at is null or grants.expires_at > (now() at time zone 'utc')::date)
        ))
      )`;
  }
}

const age = sql`extract(epoch from now() - coalesce(runners.contacted_at, runners.created_at))`;

function hasStatus(status: RunnerStatus): RawBuilder<boolean> {
  switch (status) {
    case 'online':
      return sql<boolean>`runners.contacted_at is not null and ${age} <= ${onlineSeconds}`;
    case 'offline':
      return sql<boolean>`runners.contacted_at is not null and ${age} > ${onlineSeconds} and ${age} <= ${staleSeconds}`;
    case 'stale':
      return sql<boolean>`${age} > ${staleSeconds}`;
    case 'never_contacted':
      return sql<boolean>`runners.contacted_at is null and ${age} <= ${staleSeconds}`;
    default:
      return never;
  }
}

/** A page of runners, newest first, and their number up to the limit of counting. */
export async function listRunners(
  db: Db,
  scope: RunnerScope,
  filter: RunnerFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Runner[]; total: number }> {
  let query = db.selectFrom('runners').where(inScope(scope));
  if (filter.types) query = query.where('runner_type', 'in', [...filter.types]);
  if (filter.paused !== undefined) query = query.where('paused', '=', filter.paused);
  if (filter.tags && filter.tags.length > 0) query = query.where(sql<boolean>`tag_list @> ${[...filter.tags]}::text[]`);
  if (filter.status) query = query.where(hasStatus(filter.status));
  if (filter.versionPrefix !== undefined) {
    const managers = db
      .selectFrom('runner_managers')
      .select('runner_id')
      // Whole numbers: `1` is not the beginning of 17.5.
      .where(sql<boolean>`starts_with(version || '.', ${`${filter.versionPrefix.replace(/\.+$/, '')}.`})`);
    query = query.where('id', 'in', managers);
  }
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export async function findRunner(db: Db, id: number): Promise<Runner | undefined> {
  return await db.selectFrom('runners').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The process of each runner that called last. */
export async function lastManagers(db: Db, runnerIds: readonly number[]): Promise<Map<number, RunnerManager>> {
  if (runnerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('runner_managers')
    .selectAll()
    .distinctOn('runner_id')
    .where('runner_id', 'in', [...runnerIds])
    .orderBy('runner_id')
    .orderBy('contacted_at', 'desc')
    .execute();
  return new Map(rows.map((row) => [row.runner_id, row]));
}

/** Who created runners, by their ids. */
export async function creatorsOf(db: Db, runners: readonly Runner[]): Promise<Map<number, User>> {
  const ids = runners.flatMap(({ created_by_id: id }) => (id === null ? [] : [id]));
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('users').selectAll().where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Of these runners those that have a job now. */
export async function busyRunners(db: Db, runnerIds: readonly number[]): Promise<Set<number>> {
  if (runnerIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('jobs')
    .select('runner_id')
    .distinct()
    .where('runner_id', 'in', [...runnerIds])
    .where('status', 'in', ['running', 'canceling'])
    .execute();
  return new Set(rows.map((row) => row.runner_id ?? 0));
}

export interface RunnerProject {
  readonly project: Project;
  readonly namespace: Pick<Namespace, 'full_path' | 'full_name'>;
  readonly assignedAt: Date;
}

export async function projectsOf(db: Db, runnerId: number): Promise<RunnerProject[]> {
  const rows = await db
    .selectFrom('runner_projects')
    .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .selectAll('projects')
    .select(['namespaces.full_path as namespace_full_path', 'namespaces.full_name as namespace_full_name'])
    .select('runner_projects.created_at as assigned_at')
    .where('runner_projects.runner_id', '=', runnerId)
    .orderBy('runner_projects.created_at')
    .orderBy('projects.id')
    .execute();
  return rows.map(
    ({ namespace_full_path: fullPath, namespace_full_name: fullName, assigned_at: assignedAt, ...project }) => ({
      project,
      namespace: { full_path: fullPath, full_name: fullName },
      assignedAt,
    }),
  );
}

/** The project that each project runner was created for, by the ids of the runners. */
export async function ownersOf(db: Db, runnerIds: readonly number[]): Promise<Map<number, number>> {
  if (runnerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('runner_projects')
    .select(['runner_id', 'project_id'])
    .distinctOn('runner_id')
    .where('runner_id', 'in', [...runnerIds])
    .orderBy('runner_id')
    .orderBy('created_at')
    .orderBy('project_id')
    .execute();
  return new Map(rows.map((row) => [row.runner_id, row.project_id]));
}

export async function findGroup(db: Db, id: number): Promise<Namespace | undefined> {
  return await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', id)
    .where('kind', '=', 'group')
    .executeTakeFirst();
}

export interface NewRunner {
  readonly type: RunnerType;
  readonly tokenSha256: Buffer;
  /** Null for a token that does not end. */
  readonly tokenExpiresAt: Date | null;
  readonly description: string;
  readonly maintenanceNote: string | null;
  readonly paused: boolean;
  readonly locked: boolean;
  readonly runUntagged: boolean;
  readonly tags: readonly string[];
  readonly accessLevel: 'not_protected' | 'ref_protected';
  readonly maximumTimeout: number | null;
  readonly namespaceId: number | null;
  readonly projectId: number | null;
  readonly registrationType: 'authenticated_user' | 'registration_token';
  readonly createdById: number | null;
}

export async function insertRunner(tx: Db, runner: NewRunner): Promise<Runner> {
  const row = await tx
    .insertInto('runners')
    .values({
      runner_type: runner.type,
      token_sha256: runner.tokenSha256,
      token_expires_at: runner.tokenExpiresAt,
      description: runner.description,
      maintenance_note: runner.maintenanceNote,
      paused: runner.paused,
      locked: runner.locked,
      run_untagged: runner.runUntagged,
      tag_list: [...runner.tags],
      access_level: runner.accessLevel,
      maximum_timeout: runner.maximumTimeout,
      namespace_id: runner.namespaceId,
      registration_type: runner.registrationType,
      created_by_id: runner.createdById,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (runner.projectId !== null) await assignProject(tx, row.id, runner.projectId);
  return row;
}

/** False when it was assigned already. */
export async function assignProject(tx: Db, runnerId: number, projectId: number): Promise<boolean> {
  const row = await tx
    .insertInto('runner_projects')
    .values({ runner_id: runnerId, project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .returning('runner_id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function unassignProject(tx: Db, runnerId: number, projectId: number): Promise<void> {
  await tx
    .deleteFrom('runner_projects')
    .where('runner_id', '=', runnerId)
    .where('project_id', '=', projectId)
    .execute();
}

export type RunnerChanges = Partial<
  Pick<
    Runner,
    | 'description'
    | 'maintenance_note'
    | 'paused'
    | 'locked'
    | 'run_untagged'
    | 'tag_list'
    | 'access_level'
    | 'maximum_timeout'
    | 'token_sha256'
    | 'token_expires_at'
  >
>;

/** Every change moves `updated_at`: polls that are held with the old value are answered. */
export async function updateRunner(tx: Db, id: number, changes: RunnerChanges): Promise<Runner | undefined> {
  return await tx
    .updateTable('runners')
    .set({ ...changes, updated_at: sql`clock_timestamp()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** False when it is gone already. */
export async function deleteRunner(tx: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('runners').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** False when there is no such process of the runner. */
export async function deleteManager(tx: Db, runnerId: number, systemId: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('runner_managers')
    .where('runner_id', '=', runnerId)
    .where('system_id', '=', systemId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function managersOf(db: Db, runnerId: number): Promise<RunnerManager[]> {
  return await db
    .selectFrom('runner_managers')
    .selectAll()
    .where('runner_id', '=', runnerId)
    .orderBy('id', 'desc')
    .execute();
}

/** Whether a user has a role in one of the projects that a runner of projects or of a group works for. */
export async function hasRoleWhereRunnerServes(
  db: Db,
  runner: Pick<Runner, 'id' | 'runner_type' | 'namespace_id'>,
  userId: number,
  level: number,
): Promise<boolean> {
  if (runner.runner_type === 'instance_type') return false;
  const { rows } = await sql`
    select from projects join namespaces on namespaces.id = projects.namespace_id
      join grants on grants.project_id = projects.id or grants.namespace_id = any (namespaces.traversal_ids)
    where grants.user_id = ${userId} and grants.level >= ${level}
      and (grants.expires_at is null or grants.expires_at > (now() at time zone 'utc')::date)
      and ${
        runner.runner_type === 'project_type'
          ? sql`projects.id in (select project_id from runner_projects where runner_id = ${runner.id})`
          : sql`projects.group_runners_enabled and ${runner.namespace_id} = any (namespaces.traversal_ids)`
      }
    limit 1`.execute(db);
  return rows.length > 0;
}

/** Who looks at jobs of runners. */
export interface JobViewer {
  readonly userId: number;
  readonly admin: boolean;
}

/** Whether somebody is shown `jobs`: those of projects with at least Reporter; administrators all. */
export const seenBy = ({ userId, admin }: JobViewer): RawBuilder<boolean> =>
  admin
    ? sql<boolean>`true`
    : sql<boolean>`exists (
        select from projects join namespaces on namespaces.id = projects.namespace_id
          join grants on grants.project_id = projects.id or grants.namespace_id = any (namespaces.traversal_ids)
        where projects.id = jobs.project_id and grants.user_id = ${userId} and grants.level >= 20
          and (grants.expires_at is null or grants.expires_at > (now() at time zone 'utc')::date)
      )`;

/** Jobs of a runner that somebody is shown. */
export async function jobsOfRunner(
  db: Db,
  runnerId: number,
  viewer: JobViewer,
  filter: { readonly status?: string | undefined; readonly direction: Direction },
  page: Pick<Page, 'style' | 'limit' | 'offset' | 'after'>,
): Promise<{ rows: Job[]; total: number | null }> {
  let query = db.selectFrom('jobs').where('runner_id', '=', runnerId);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (!viewer.admin) query = query.where(seenBy(viewer));
  const order = jobOrder(filter.direction);
  const continued = order.after(page.after);
  const [rows, total] = await Promise.all([
    (continued ? query.where(continued) : query)
      .selectAll()
      .orderBy(order.orderBy)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    page.style === 'keyset' ? null : countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

/** The built-in runner's row with a new token: the process that starts it is the only one that knows it. */
export async function upsertBuiltIn(tx: Db, tokenSha256: Buffer, description: string): Promise<Runner> {
  return await tx
    .insertInto('runners')
    .values({ runner_type: 'instance_type', token_sha256: tokenSha256, built_in: true, description })
    .onConflict((conflict) =>
      conflict.column('built_in').where('built_in', '=', true).doUpdateSet({ token_sha256: tokenSha256 }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}
