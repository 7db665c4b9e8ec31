/** Pipelines with jobs and commit statuses as archives of projects hold them, and the way back. */
import { type Insertable, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { CommitStatusesTable, JobsTable, PipelinesTable } from '../../../kernel/db/tables.ts';

const batch = 100;

/** Statuses that stay as they are; whatever had not ended is canceled. */
const ended = sql.raw(`('success', 'failed', 'canceled', 'skipped')`);
const username = (column: string) => sql`(select username from users where id = ${sql.ref(column)})`;

/** By number, in batches. Logs, artifacts, variables and what jobs were to do stay behind. */
export async function* pipelinesOf(db: Db, projectId: number): AsyncGenerator<object[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{ iid: number }>`
      select p.iid, p.sha, p.before_sha, p.ref, p.tag, p.source,
        case when p.status in ${ended} then p.status else 'canceled' end as status, p.name,
        ${username('p.user_id')} as user, (select iid from merge_requests where id = p.merge_request_id) as merge_request,
        p.yaml_errors, p.failure_reason, p.warnings, p.stages, p.coverage, p.committed_at, p.created_at, p.updated_at,
        p.started_at, p.finished_at, p.duration, p.queued_duration, p.source_sha, p.target_sha,
        (select jsonb_build_object('pipeline', f.iid, 'job', (select count(*) from jobs e
            where e.pipeline_id = f.id and e.id < s.source_job_id) + 1)
          from pipeline_sources s join pipelines f on f.id = s.source_pipeline_id
          where s.pipeline_id = p.id and f.project_id = p.project_id and s.source_job_id is not null) as started_by,
        coalesce((select jsonb_agg(jsonb_build_object('name', j.name, 'kind', j.kind, 'stage', j.stage,
            'stage_index', j.stage_index, 'status', case when j.status in ${ended} then j.status
              when j.status = 'manual' then 'skipped' else 'canceled' end,
            'when', j.when, 'allow_failure', j.allow_failure, 'needs', j.needs, 'tag_list', j.tag_list,
            'user', ${username('j.user_id')}, 'failure_reason', j.failure_reason, 'exit_code', j.exit_code,
            'retried', j.retried, 'attempt', j.attempt, 'coverage', j.coverage::text, 'timeout_seconds', j.timeout_seconds,
            'interruptible', j.interruptible, 'resource_group', j.resource_group, 'environment', j.environment,
            'created_at', j.created_at, 'updated_at', j.updated_at, 'queued_at', j.queued_at, 'started_at', j.started_at,
            'finished_at', j.finished_at) order by j.id)
          from jobs j where j.pipeline_id = p.id), '[]') as jobs,
        coalesce((select jsonb_agg(jsonb_build_object('name', c.name, 'status', case when c.status in ${ended} then c.status
              else 'canceled' end, 'target_url', c.target_url, 'description', c.description, 'coverage', c.coverage::text,
            'user', ${username('c.user_id')}, 'retried', c.retried, 'created_at', c.created_at, 'started_at', c.started_at,
            'finished_at', c.finished_at) order by c.id)
          from commit_statuses c where c.pipeline_id = p.id), '[]') as commit_statuses
      from pipelines p where p.project_id = ${projectId} and p.iid > ${after} order by p.iid limit ${batch}`.execute(
      db,
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = last.iid;
  }
}

/** Its id; undefined where the number is taken. */
export async function insertArchivedPipeline(
  tx: Db,
  row: Omit<Insertable<PipelinesTable>, 'merge_request_id'>,
  mergeRequest: number | null,
): Promise<number | undefined> {
  const request = tx
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', row.project_id)
    .where('iid', '=', mergeRequest ?? 0);
  const made = await tx
    .insertInto('pipelines')
    .values({ ...row, imported: true, merge_request_id: request })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return made?.id;
}

/** Inserted with one statement they stay below the limit of parameters. */
const insertedAtOnce = 500;

export async function insertArchivedJobs(tx: Db, jobs: readonly Insertable<JobsTable>[]): Promise<void> {
  for (let at = 0; at < jobs.length; at += insertedAtOnce)
    await tx
      .insertInto('jobs')
      .values(jobs.slice(at, at + insertedAtOnce))
      .execute();
}

/** A later one of the same name counts instead of those before it. */
export async function insertArchivedStatuses(
  tx: Db,
  statuses: readonly Insertable<CommitStatusesTable>[],
): Promise<void> {
  for (let at = 0; at < statuses.length; at += insertedAtOnce)
    await tx
      .insertInto('commit_statuses')
      .values(statuses.slice(at, at + insertedAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** The job of the same project that started a pipeline, by the number of its pipeline and its place there. */
export async function insertArchivedSource(
  tx: Db,
  projectId: number,
  pipelineId: number,
  { pipeline, job }: { readonly pipeline: number; readonly job: number },
): Promise<void> {
  await sql`insert into pipeline_sources (pipeline_id, source_job_id, source_pipeline_id, source_project_id)
    select ${pipelineId}, j.id, p.id, p.project_id from pipelines p
      join lateral (select id from jobs where pipeline_id = p.id order by id offset ${job - 1} limit 1) j on true
    where p.project_id = ${projectId} and p.iid = ${pipeline}`.execute(tx);
}
