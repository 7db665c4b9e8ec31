/** Rows of `environments`, and which jobs belong to them. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Environment, Job, Pipeline } from '../../../kernel/db/rows.ts';
import type { EnvironmentsTable, JobEnvironmentsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export interface EnvironmentFilter {
  readonly name?: string | undefined;
  readonly search?: string | undefined;
  readonly state?: Environment['state'] | undefined;
  readonly tier?: Environment['tier'] | undefined;
}

export async function listEnvironments(
  db: Db,
  projectId: number,
  filter: EnvironmentFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Environment[]; total: number }> {
  let query = db.selectFrom('environments').where('project_id', '=', projectId);
  if (filter.name !== undefined) query = query.where('name', '=', filter.name);
  if (filter.search !== undefined) query = query.where(sql<boolean>`strpos(lower(name), lower(${filter.search})) > 0`);
  if (filter.state) query = query.where('state', '=', filter.state);
  if (filter.tier) query = query.where('tier', '=', filter.tier);
  const [rows, total] = await Promise.all([
    query.selectAll().orderBy('id').limit(page.limit).offset(page.offset).execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export const findEnvironment = (db: Db, projectId: number, id: number): Promise<Environment | undefined> =>
  db.selectFrom('environments').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();

export const findEnvironmentByName = (db: Db, projectId: number, name: string): Promise<Environment | undefined> =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();

export async function environmentsById(db: Db, ids: readonly number[]): Promise<Map<number, Environment>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('environments')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Undefined when the name or the slug is taken. */
export const insertEnvironment = (tx: Db, values: Insertable<EnvironmentsTable>): Promise<Environment | undefined> =>
  tx
    .insertInto('environments')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();

export const updateEnvironment = (
  tx: Db,
  id: number,
  values: Updateable<EnvironmentsTable>,
): Promise<Environment | undefined> =>
  tx
    .updateTable('environments')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

/** Only out of a state; undefined when it is in another one. */
export const moveEnvironment = (
  tx: Db,
  id: number,
  from: readonly Environment['state'][],
  values: Updateable<EnvironmentsTable>,
): Promise<Environment | undefined> =>
  tx
    .updateTable('environments')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('state', 'in', [...from])
    .returningAll()
    .executeTakeFirst();

/** False when it was removed meanwhile. */
export async function deleteEnvironment(tx: Db, id: number): Promise<boolean> {
  return (await tx.deleteFrom('environments').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}

export type UnregisteredJob = Pick<Job, 'id' | 'project_id' | 'user_id' | 'ref' | 'tag' | 'plan'> & {
  readonly environment: string;
  readonly sha: string;
};

/** Jobs of a pipeline, or one job, whose environment is not registered yet. */
export async function unregisteredJobs(
  tx: Db,
  of: { readonly pipelineId: number } | { readonly jobId: number },
): Promise<UnregisteredJob[]> {
  const rows = await tx
    .selectFrom('jobs as j')
    .innerJoin('pipelines as p', 'p.id', 'j.pipeline_id')
    .leftJoin('job_environments as e', 'e.job_id', 'j.id')
    .select(['j.id', 'j.project_id', 'j.user_id', 'j.ref', 'j.tag', 'j.plan', 'j.environment', 'p.sha'])
    .where('pipelineId' in of ? 'j.pipeline_id' : 'j.id', '=', 'pipelineId' in of ? of.pipelineId : of.jobId)
    .where('j.environment', 'is not', null)
    .where('e.job_id', 'is', null)
    .orderBy('j.id')
    .execute();
  return rows.map((row) => ({ ...row, environment: row.environment ?? '' }));
}

export async function insertJobEnvironment(tx: Db, values: Insertable<JobEnvironmentsTable>): Promise<void> {
  await tx
    .insertInto('job_environments')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The environment of a job, and what the job does with it. */
export async function environmentOfJob(
  db: Db,
  jobId: number,
): Promise<{ environment: Environment; action: Insertable<JobEnvironmentsTable>['action'] } | undefined> {
  const row = await db
    .selectFrom('job_environments as je')
    .innerJoin('environments as e', 'e.id', 'je.environment_id')
    .selectAll('e')
    .select('je.action')
    .where('je.job_id', '=', jobId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { action, ...environment } = row;
  return { environment, action };
}

export type EndedJob = Pick<Job, 'id' | 'status' | 'plan' | 'dotenv_encrypted'> & {
  readonly environment_id: number;
  readonly action: Insertable<JobEnvironmentsTable>['action'];
};

/** Jobs of a pipeline that have ended since their environments were last changed for them; from now on they count as handled. */
export async function takeEndedJobs(tx: Db, pipelineId: number): Promise<EndedJob[]> {
  const { rows } = await sql<EndedJob>`
    update job_environments e set ended_as = j.status from jobs j
    where j.id = e.job_id and j.pipeline_id = ${pipelineId} and j.status in ('success', 'failed', 'canceled')
      and e.ended_as is distinct from j.status
    returning j.id, j.status, j.plan, j.dotenv_encrypted, e.environment_id, e.action`.execute(tx);
  return rows.sort((a, b) => a.id - b.id);
}

/** The newest attempts of the jobs that stop an environment, by what the deployments of the last pipeline say that deployed it. */
export async function stopJobsOf(db: Db, environmentId: number): Promise<Job[]> {
  const deployments = db
    .selectFrom('deployments as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .where('d.environment_id', '=', environmentId)
    .where('d.status', '=', 'success');
  const deployed = await deployments
    .select(['j.pipeline_id', 'j.environment'])
    .orderBy('d.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!deployed) return [];
  return await db
    .selectFrom('jobs')
    .selectAll()
    .where('pipeline_id', '=', deployed.pipeline_id)
    .where(
      'name',
      'in',
      deployments
        .select(sql<string>`j.plan -> 'environment' ->> 'on_stop'`.as('on_stop'))
        .where('j.pipeline_id', '=', deployed.pipeline_id),
    )
    .where('environment', '=', deployed.environment)
    .where('retried', '=', false)
    .where(sql<boolean>`plan -> 'environment' ->> 'action' = 'stop'`)
    .orderBy('id')
    .execute();
}

/** Environments that are running and due to stop, the longest due first. */
export const dueEnvironments = (db: Db, limit: number): Promise<Environment[]> =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('state', '=', 'available')
    .where('auto_stop_at', '<=', sql<Date>`now()`)
    .orderBy('auto_stop_at')
    .limit(limit)
    .execute();

/** Locks stopped environments whose time to be deleted has come; those that were started again meanwhile stay. */
export async function lockDueForDeletion(tx: Db): Promise<number[]> {
  const rows = await tx
    .selectFrom('environments')
    .select('id')
    .where('auto_delete_at', '<=', sql<Date>`now()`)
    .where('state', '=', 'stopped')
    .forUpdate()
    .execute();
  return rows.map(({ id }) => id);
}

export async function deleteEnvironments(tx: Db, ids: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('environments')
    .where('id', 'in', [...ids])
    .execute();
}

/** What goes away, and with it what shows it. */
export type EnvironmentSource = { readonly branch: string } | Pick<Pipeline, 'merge_request_id'>;

interface SourcedEnvironment extends Environment {
  /** It is there for that alone: of a merge request, the first job with it is of one of its pipelines and made it. */
  readonly alone: boolean;
}

/** Environments whose last successful deployment was made from a branch, or by a pipeline of a merge request. */
export async function environmentsOfSource(
  db: Db,
  projectId: number,
  source: EnvironmentSource,
): Promise<SourcedEnvironment[]> {
  const alone =
    'branch' in source
      ? sql`true`
      : sql`coalesce((
          select p.merge_request_id is not distinct from ${source.merge_request_id}::bigint and p.created_at <= e.created_at
          from job_environments je join jobs j on j.id = je.job_id join pipelines p on p.id = j.pipeline_id
          where je.environment_id = e.id order by j.id limit 1), false)`;
  const { rows } = await sql<SourcedEnvironment>`
    select e.*, ${alone} as alone from environments e
    join lateral (
      select d.ref, d.tag, d.job_id from deployments d
      where d.environment_id = e.id and d.status = 'success' order by d.id desc limit 1
    ) d on true
    where e.project_id = ${projectId} and e.state = 'available' and ${
      'branch' in source
        ? sql`d.ref = ${source.branch} and not d.tag`
        : sql`exists (
            select from jobs j join pipelines p on p.id = j.pipeline_id
            where j.id = d.job_id and p.merge_request_id = ${source.merge_request_id})`
    } order by e.id`.execute(db);
  return rows;
}

/** Running environments that were last changed and deployed to before a time. */
export async function staleEnvironments(db: Db, projectId: number, before: Date): Promise<Environment[]> {
  const { rows } = await sql<Environment>`
    select e.* from environments e
    where e.project_id = ${projectId} and e.state = 'available' and e.updated_at < ${before}
      and not exists (select from deployments d where d.environment_id = e.id and d.updated_at >= ${before})
    order by e.id`.execute(db);
  return rows;
}

export async function stopSoon(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('environments')
    .set({ auto_stop_at: sql<Date>`now()` })
    .where('id', 'in', [...ids])
    .where('state', '=', 'available')
    .execute();
}

/** Stopped review apps from before a time, the oldest first. */
export const stoppedReviewApps = (db: Db, projectId: number, before: Date, limit: number): Promise<Environment[]> =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('state', '=', 'stopped')
    .where('name', 'like', 'review/%')
    .where('created_at', '<', before)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute();

export async function deleteLater(tx: Db, ids: readonly number[], days: number): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('environments')
    .set({ auto_delete_at: sql<Date>`now() + make_interval(days => ${days})` })
    .where('id', 'in', [...ids])
    .execute();
}

/** Whether older deployments are prevented in a project, and whether they may be repeated all the same. */
export async function forwardDeployment(
  db: Db,
  projectId: number,
): Promise<{ readonly only_forward: boolean; readonly rollback: boolean }> {
  const row = await db
    .selectFrom('projects')
    .select(['ci_forward_deployment_enabled as only_forward', 'ci_forward_deployment_rollback_allowed as rollback'])
    .where('id', '=', projectId)
    .executeTakeFirst();
  return row ?? { only_forward: false, rollback: true };
}

/** Whose rights a job has. */
export const userOfJob = async (db: Db, jobId: number): Promise<number | null> =>
  (await db.selectFrom('jobs').select('user_id').where('id', '=', jobId).executeTakeFirst())?.user_id ?? null;
