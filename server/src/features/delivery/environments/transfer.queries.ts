/** Environments and deployments as archives of projects hold them, and the way back. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Environment } from '../../../kernel/db/rows.ts';
import type { DeploymentApprovalsTable, DeploymentsTable, EnvironmentsTable } from '../../../kernel/db/tables.ts';

const batch = 500;

const environmentColumns = [
  ...(['name', 'slug', 'external_url', 'description', 'tier', 'auto_stop_at', 'auto_stop_setting'] as const),
  ...(['auto_delete_at', 'created_at', 'updated_at', 'kubernetes_namespace', 'flux_resource_path'] as const),
] as const;
type EnvironmentLine = Pick<Environment, (typeof environmentColumns)[number] | 'state'>;

/** Jobs that stop environments stay behind: those that are being stopped are told as stopped. */
export async function environmentsOf(db: Db, projectId: number): Promise<EnvironmentLine[]> {
  return await db
    .selectFrom('environments')
    .select([...environmentColumns])
    .select(sql<Environment['state']>`case state when 'stopping' then 'stopped' else state end`.as('state'))
    .where('project_id', '=', projectId)
    .orderBy('id')
    .execute();
}

/** False where the name or slug is taken. */
export async function insertArchivedEnvironment(tx: Db, row: Insertable<EnvironmentsTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('environments')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return Number(numInsertedOrUpdatedRows ?? 0) > 0;
}

/** By number, in batches. */
export async function* deploymentsOf(db: Db, projectId: number): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ iid: number }>`
      select d.iid, e.name as environment, (select username from users where id = d.user_id) as user, d.ref, d.tag, d.sha,
        case when d.status in ('success', 'failed', 'canceled', 'skipped') then d.status else 'canceled' end as status,
        d.url, d.created_at, d.updated_at, d.finished_at,
        (select jsonb_build_object('pipeline', p.iid, 'job', (select count(*) from jobs e
            where e.pipeline_id = p.id and e.id < j.id) + 1)
          from jobs j join pipelines p on p.id = j.pipeline_id
          where j.id = d.job_id and j.project_id = d.project_id) as started_by,
        coalesce((select jsonb_agg(jsonb_build_object('user', u.username, 'status', a.status, 'comment', a.comment,
            'represented_as', a.represented_as, 'created_at', a.created_at) order by a.id)
          from deployment_approvals a join users u on u.id = a.user_id where a.deployment_id = d.id), '[]') as approvals,
        coalesce((select jsonb_agg(m.iid order by m.iid) from deployment_merge_requests k
          join merge_requests m on m.id = k.merge_request_id and m.project_id = d.project_id
          where k.deployment_id = d.id), '[]') as merge_requests
      from deployments d join environments e on e.id = d.environment_id
      where d.project_id = ${projectId} and d.iid > ${after} order by d.iid limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.iid;
  }
}

/** The job that a deployment is of, by the number of its pipeline and its place there. */
interface JobPlace {
  readonly pipeline: number;
  readonly job: number;
}

/** Its id; null where there is no such environment, or the number or the job has a deployment. */
export async function insertArchivedDeployment(
  tx: Db,
  row: Omit<Insertable<DeploymentsTable>, 'environment_id' | 'job_id'>,
  environment: string,
  by: JobPlace | null,
): Promise<number | null> {
  const { project_id: projectId } = row;
  const place = await tx
    .selectFrom('environments')
    .select('id')
    .where('project_id', '=', projectId)
    .where('name', '=', environment)
    .executeTakeFirst();
  if (!place) return null;
  const job = sql<number | null>`(select j.id from pipelines p join jobs j on j.pipeline_id = p.id
    where p.project_id = ${projectId} and p.iid = ${by?.pipeline ?? 0} order by j.id offset ${(by?.job ?? 1) - 1} limit 1)`;
  const made = await tx
    .insertInto('deployments')
    .values({ ...row, environment_id: place.id, job_id: by ? job : null })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id ?? null;
}

export async function insertArchivedApprovals(
  tx: Db,
  approvals: readonly Insertable<DeploymentApprovalsTable>[],
): Promise<void> {
  if (approvals.length === 0) return;
  await tx
    .insertInto('deployment_approvals')
    .values(approvals)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function linkArchivedRequests(
  tx: Db,
  projectId: number,
  deploymentId: number,
  iids: readonly number[],
): Promise<void> {
  if (iids.length === 0) return;
  await sql`insert into deployment_merge_requests (deployment_id, merge_request_id)
    select ${deploymentId}, id from merge_requests where project_id = ${projectId} and iid = any(${[...iids]}::bigint[])
    on conflict do nothing`.execute(tx);
}
