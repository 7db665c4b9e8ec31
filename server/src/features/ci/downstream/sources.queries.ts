/** Rows of `pipeline_sources`: the jobs that pipelines were started by, and the tree that follows from them; and jobs that mirror a pipeline. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Pipeline } from '../../../kernel/db/rows.ts';
import type { Upstream } from '../pipelines/request.ts';
import type { UpstreamFacts } from '../variables/predefined.ts';

export async function insertPipelineSource(tx: Db, pipelineId: number, { job }: Upstream): Promise<void> {
  await tx
    .insertInto('pipeline_sources')
    .values({
      pipeline_id: pipelineId,
      source_job_id: job.id,
      source_pipeline_id: job.pipeline_id,
      source_project_id: job.project_id,
    })
    .execute();
}

/** The job that started a pipeline, with what is left of its pipeline and project; null for other pipelines. */
export async function upstreamFacts(db: Db, pipelineId: number): Promise<UpstreamFacts | null> {
  const row = await db
    .selectFrom('pipeline_sources')
    .select(['source_job_id as jobId', 'source_pipeline_id as pipelineId', 'source_project_id as projectId'])
    .where('pipeline_id', '=', pipelineId)
    .executeTakeFirst();
  return row ?? null;
}

interface UpstreamJob {
  readonly project_id: number;
  readonly project_path: string;
  readonly pipeline_id: number;
  readonly job_id: number;
  readonly job_name: string;
}

/** The job that started a pipeline and where it is; undefined for other pipelines, and when it is gone. */
export async function upstreamJob(db: Db, pipelineId: number): Promise<UpstreamJob | undefined> {
  return await db
    .selectFrom('pipeline_sources as s')
    .innerJoin('jobs as j', 'j.id', 's.source_job_id')
    .innerJoin('projects as p', 'p.id', 'j.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(['j.project_id', 'j.pipeline_id', 'j.id as job_id', 'j.name as job_name'])
    .select(sql<string>`n.full_path || '/' || p.path`.as('project_path'))
    .where('s.pipeline_id', '=', pipelineId)
    .executeTakeFirst();
}

/** The pipelines that jobs started, by the id of the job. */
export async function downstreamOf(db: Db, jobIds: readonly number[]): Promise<Map<number, Pipeline>> {
  if (jobIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('pipeline_sources')
    .innerJoin('pipelines', 'pipelines.id', 'pipeline_sources.pipeline_id')
    .selectAll('pipelines')
    .select('pipeline_sources.source_job_id')
    .where('pipeline_sources.source_job_id', 'in', [...jobIds])
    .orderBy('pipelines.id')
    .execute();
  return new Map(rows.map(({ source_job_id, ...pipeline }) => [source_job_id ?? 0, pipeline]));
}

/**
 * The pipeline that a trigger job has started: it starts one, however often it is tried. Its own pipeline is held until the
 * transaction ends, so that whoever asks next sees what this one has stored. Other jobs start as many as they like.
 */
export async function startedBy(tx: Db, { job }: Upstream): Promise<Pipeline | undefined> {
  if (job.kind !== 'bridge') return undefined;
  // References to it do not wait: those who make them may hold what this transaction takes next.
  await sql`select from pipelines where id = ${job.pipeline_id} for no key update`.execute(tx);
  return (await downstreamOf(tx, [job.id])).get(job.id);
}

/** The trigger job that waits for how a pipeline ends; null when none does. */
export async function bridgeOf(db: Db, pipelineId: number): Promise<number | null> {
  const row = await db
    .selectFrom('pipeline_sources')
    .innerJoin('jobs', 'jobs.id', 'pipeline_sources.source_job_id')
    .select('jobs.id')
    .where('pipeline_sources.pipeline_id', '=', pipelineId)
    .where('jobs.kind', '=', 'bridge')
    .where(sql<boolean>`jobs.plan -> 'trigger' ->> 'strategy' is not null`)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Jobs of a pipeline that started children, whatever became of the jobs. */
export async function jobsWithChildren(db: Db, pipelineId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('pipeline_sources')
    .innerJoin('pipelines', 'pipelines.id', 'pipeline_sources.pipeline_id')
    .select('pipeline_sources.source_job_id')
    .where('pipeline_sources.source_pipeline_id', '=', pipelineId)
    .where('pipelines.source', '=', 'parent_pipeline')
    .execute();
  return rows.flatMap(({ source_job_id: id }) => id ?? []);
}

/** A pipeline with its children, theirs, and so on: parents first. */
export async function familyOf(db: Db, pipelineId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive family (id, depth) as (
      select ${pipelineId}::bigint, 0
      union
      select child.id, family.depth + 1
      from family
        join pipeline_sources s on s.source_pipeline_id = family.id
        join pipelines child on child.id = s.pipeline_id and child.source = 'parent_pipeline'
      where family.depth < 10
    )
    select id from family order by depth, id`.execute(db);
  return rows.map(({ id }) => id);
}

/** The pipeline and what it was started by, and so on upwards; itself first. */
export async function upstreamsOf(
  db: Db,
  pipelineId: number,
): Promise<Array<Pick<Pipeline, 'id' | 'project_id' | 'ref' | 'source'>>> {
  const { rows } = await sql<Pick<Pipeline, 'id' | 'project_id' | 'ref' | 'source'>>`
    with recursive upstream (id, depth) as (
      select ${pipelineId}::bigint, 0
      union
      select s.source_pipeline_id, upstream.depth + 1
      from upstream join pipeline_sources s on s.pipeline_id = upstream.id
      where s.source_pipeline_id is not null and upstream.depth < 100
    )
    select p.id, p.project_id, p.ref, p.source from upstream join pipelines p on p.id = upstream.id
    order by upstream.depth`.execute(db);
  return rows;
}

/** How many pipelines the whole tree below a pipeline has, up to the limit. */
export async function treeSize(db: Db, rootId: number, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with recursive tree (id) as (
      select ${rootId}::bigint
      union
      select s.pipeline_id from tree join pipeline_sources s on s.source_pipeline_id = tree.id
    )
    select count(*)::integer as count from (select id from tree limit ${limit}) counted`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A trigger job begins from one of the statuses; undefined when it is in none of them. */
export async function startBridge(
  tx: Db,
  id: number,
  from: ReadonlyArray<'pending' | 'running'>,
): Promise<Job | undefined> {
  return await tx
    .updateTable('jobs')
    .set({ status: 'running', started_at: sql<Date>`coalesce(started_at, now())`, updated_at: sql`now()` })
    .where('id', '=', id)
    .where('kind', '=', 'bridge')
    .where('status', 'in', from)
    .returningAll()
    .executeTakeFirst();
}

/** Notes why a trigger job could create no pipeline. */
export async function noteDownstreamErrors(tx: Db, id: number, errors: readonly string[]): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ plan: sql`plan || ${JSON.stringify({ downstream_errors: errors })}::jsonb` })
    .where('id', '=', id)
    .execute();
}

/** A trigger job runs again because its pipeline does, or shows that this waits for somebody or was skipped. */
export async function showOnBridge(tx: Db, id: number, status: 'running' | 'manual' | 'skipped'): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({
      status,
      finished_at: status === 'skipped' ? sql<Date>`now()` : null,
      failure_reason: null,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .execute();
}

/** The newest pipeline of a branch that is nobody's child. */
export async function latestOfBranch(db: Db, projectId: number, branch: string): Promise<Pipeline | undefined> {
  return await db
    .selectFrom('pipelines')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('ref', '=', branch)
    .where('tag', '=', false)
    .where('source', '!=', 'parent_pipeline')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** Notes the pipeline that says how a job ends. */
export async function followUpstream(tx: Db, jobId: number, pipelineId: number): Promise<void> {
  await tx.updateTable('jobs').set({ upstream_pipeline_id: pipelineId }).where('id', '=', jobId).execute();
}

/** Running jobs that end as the pipeline does. */
export async function followersOf(db: Db, pipelineId: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('jobs')
    .select('id')
    .where('upstream_pipeline_id', '=', pipelineId)
    .where('status', '=', 'running')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** The first pipeline of the family that a pipeline is of: the parent of parents. */
export async function rootOf(db: Db, pipelineId: number): Promise<number> {
  const upstreams = await upstreamsOf(db, pipelineId);
  const root = upstreams.find(({ source }) => source !== 'parent_pipeline');
  return root?.id ?? pipelineId;
}
