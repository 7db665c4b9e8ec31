/** Rows of `deployments`. */
import { type Insertable, sql, type Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Deployment, Job } from '../../../kernel/db/rows.ts';
import type { DeploymentsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo, type Direction } from '../../../kernel/http/paging.queries.ts';

export const deploymentStatuses = [
  'created',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'blocked',
] as const;
export type DeploymentStatus = Deployment['status'];
export const deploymentOrders = ['id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'] as const;

export interface DeploymentFilter {
  readonly environment?: string | undefined;
  readonly status?: DeploymentStatus | undefined;
  readonly updatedAfter?: Date | undefined;
  readonly updatedBefore?: Date | undefined;
  readonly finishedAfter?: Date | undefined;
  readonly finishedBefore?: Date | undefined;
}

export async function listDeployments(
  db: Db,
  projectId: number,
  filter: DeploymentFilter,
  order: { readonly by: (typeof deploymentOrders)[number]; readonly direction: Direction },
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: Deployment[]; total: number }> {
  let query = db.selectFrom('deployments as d').where('d.project_id', '=', projectId);
  const { environment: name, status, updatedAfter, updatedBefore, finishedAfter, finishedBefore } = filter;
  if (name !== undefined)
    query = query.where('d.environment_id', 'in', (of) =>
      of.selectFrom('environments').select('id').where('project_id', '=', projectId).where('name', '=', name),
    );
  if (status) query = query.where('d.status', '=', status);
  if (updatedAfter) query = query.where('d.updated_at', '>', updatedAfter);
  if (updatedBefore) query = query.where('d.updated_at', '<', updatedBefore);
  if (finishedAfter) query = query.where('d.finished_at', '>', finishedAfter);
  if (finishedBefore) query = query.where('d.finished_at', '<', finishedBefore);
  const [rows, total] = await Promise.all([
    query
      .selectAll('d')
      .orderBy(`d.${order.by}`, order.direction)
      .orderBy('d.id', order.direction)
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    countUpTo(db, query.select('d.id')),
  ]);
  return { rows, total };
}

export const findDeployment = (db: Db, projectId: number, id: number): Promise<Deployment | undefined> =>
  db.selectFrom('deployments').selectAll().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst();

export const deploymentById = (db: Db, id: number): Promise<Deployment | undefined> =>
  db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirst();

export const lockDeployment = (tx: Db, id: number): Promise<Deployment | undefined> =>
  tx.selectFrom('deployments').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const deploymentOfJob = (db: Db, jobId: number): Promise<Deployment | undefined> =>
  db.selectFrom('deployments').selectAll().where('job_id', '=', jobId).executeTakeFirst();

/** Those of jobs that wait for approvals. */
export const blockedDeployments = (db: Db, jobIds: readonly number[]): Promise<Deployment[]> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where(sql<boolean>`job_id = any(${jobIds}::bigint[])`)
    .where('status', '=', 'blocked')
    .execute();

/** The lifetime in seconds that the newest successful deployment gave the environment; null where it gave none. */
export async function lifetimeOf(db: Db, environmentId: number): Promise<number | null> {
  const row = await db
    .selectFrom('deployments as d')
    .innerJoin('jobs as j', 'j.id', 'd.job_id')
    .select(sql<number | null>`(j.plan -> 'environment' ->> 'auto_stop_in_seconds')::bigint`.as('seconds'))
    .where('d.environment_id', '=', environmentId)
    .where('d.status', '=', 'success')
    .orderBy('d.id', 'desc')
    .executeTakeFirst();
  return row?.seconds == null ? null : Number(row.seconds);
}

/** The newest one of an environment that succeeded. */
export const lastDeployment = (db: Db, environmentId: number): Promise<Deployment | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('environment_id', '=', environmentId)
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/** The refs of which pipelines of a merge request are in its own project; null where there is no such request. */
export async function deployedBranches(db: Db, projectId: number, iid: number): Promise<string[] | null> {
  const row = await db
    .selectFrom('merge_requests')
    .select(['source_project_id', 'source_branch'])
    .where('project_id', '=', projectId)
    .where('iid', '=', iid)
    .executeTakeFirst();
  if (!row) return null;
  const own = ['head', 'merge', 'train'].map((kind) => `refs/merge-requests/${iid}/${kind}`);
  // A fork's branch of that name is another one than the project's.
  return row.source_project_id === projectId ? [row.source_branch, ...own] : own;
}

/** The newest deployment of these refs to each environment that is not stopped, by the environment's name. */
export async function deploymentsOfRefs(db: Db, projectId: number, refs: readonly string[]): Promise<Deployment[]> {
  const { rows } = await sql<Deployment>`
    select d.* from (
      select distinct on (environment_id) * from deployments
      where project_id = ${projectId} and ref = any(${[...refs]}::text[]) and not tag
      order by environment_id, id desc) d
    join environments e on e.id = d.environment_id and e.state <> 'stopped'
    order by e.name, d.id`.execute(db);
  return rows;
}

/** The newest one that succeeded before another. */
export const deploymentBefore = (
  db: Db,
  { environment_id, id }: Pick<Deployment, 'environment_id' | 'id'>,
): Promise<Deployment | undefined> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('environment_id', '=', environment_id)
    .where('status', '=', 'success')
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export const insertDeployment = (tx: Db, values: Insertable<DeploymentsTable>): Promise<Deployment> =>
  tx.insertInto('deployments').values(values).returningAll().executeTakeFirstOrThrow();

export const updateDeployment = (
  tx: Db,
  id: number,
  values: Updateable<DeploymentsTable>,
): Promise<Deployment | undefined> =>
  tx
    .updateTable('deployments')
    .set({ ...values, updated_at: sql`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export async function deleteDeployment(tx: Db, id: number): Promise<void> {
  await tx.deleteFrom('deployments').where('id', '=', id).execute();
}

export async function setUrl(db: Db, jobId: number, url: string): Promise<void> {
  await db.updateTable('deployments').set({ url }).where('job_id', '=', jobId).execute();
}

/** What a job's status means for its deployment; a blocked one stays so while its job waits for a person. */
const statusOfJob = sql`case
  when j.status in ('running', 'canceling') then 'running'
  when j.status in ('success', 'failed', 'canceled', 'skipped') then j.status
  when d.status = 'blocked' and j.status in ('created', 'manual') then 'blocked'
  else 'created' end`;

/** Moves the deployments of a pipeline's jobs to the statuses of these; those that moved. */
export async function followJobs(tx: Db, pipelineId: number): Promise<Deployment[]> {
  const { rows } = await sql<Deployment>`
    update deployments d set status = ${statusOfJob}, updated_at = now(),
      finished_at = case when j.status in ('success', 'failed', 'canceled') then coalesce(j.finished_at, now()) end
    from jobs j where j.id = d.job_id and j.pipeline_id = ${pipelineId} and d.status <> ${statusOfJob}
    returning d.*`.execute(tx);
  return rows.sort((a, b) => a.id - b.id);
}

export async function jobsById(db: Db, ids: readonly number[]): Promise<Map<number, Job>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Merge requests that were merged and are not known to be in an earlier deployment of the environment. */
export async function mergedCandidates(
  db: Db,
  { project_id, environment_id }: Pick<Deployment, 'project_id' | 'environment_id'>,
  limit: number,
): Promise<ReadonlyArray<{ id: number; sha: string }>> {
  const { rows } = await sql<{ id: number; sha: string | null }>`
    select m.id, coalesce(m.merge_commit_sha, m.merged_commit_sha, m.squash_commit_sha, m.head_sha) as sha from merge_requests m
    where m.project_id = ${project_id} and m.state = 'merged' and not exists (
      select from deployment_merge_requests l join deployments d on d.id = l.deployment_id
      where l.merge_request_id = m.id and d.environment_id = ${environment_id})
    order by m.id desc limit ${limit}`.execute(db);
  return rows.flatMap(({ id, sha }) => (sha === null ? [] : [{ id, sha }]));
}

export async function linkMergeRequests(tx: Db, deploymentId: number, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .insertInto('deployment_merge_requests')
    .values(ids.map((id) => ({ deployment_id: deploymentId, merge_request_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
