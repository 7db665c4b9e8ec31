/** What a job's payload is made of beyond its own rows. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, JobArtifact, MergeRequest, Namespace, Pipeline, Project, User } from '../../../kernel/db/rows.ts';

/** Project, namespace, pipeline and user of a job. */
export interface PayloadRows {
  readonly project: Project;
  readonly namespace: Namespace;
  readonly pipeline: Pipeline;
  readonly user: User | null;
}

/** Newest attempts of jobs of the pipeline whose artifacts a job may get, with their archives: those that it needs, else those of earlier stages. */
export async function earlierJobs(
  db: Db,
  job: Pick<Job, 'id' | 'pipeline_id' | 'stage_index'>,
  needed: readonly string[] | null,
): Promise<
  Array<
    Pick<Job, 'id' | 'name' | 'stage_index' | 'status' | 'dotenv_encrypted' | 'erased_at' | 'artifacts_expire_at'> & {
      archive: Pick<JobArtifact, 'filename' | 'size'> | null;
    }
  >
> {
  if (needed === null ? job.stage_index === 0 : needed.length === 0) return [];
  const rows = await db
    .selectFrom('jobs')
    .leftJoin('job_artifacts as archive', (join) =>
      join.onRef('archive.job_id', '=', 'jobs.id').on('archive.file_type', '=', 'archive'),
    )
    .select(['jobs.id', 'jobs.name', 'jobs.stage_index', 'jobs.status', 'jobs.dotenv_encrypted', 'jobs.erased_at'])
    .select(['jobs.artifacts_expire_at', 'archive.filename', 'archive.size'])
    .where('jobs.pipeline_id', '=', job.pipeline_id)
    .where('jobs.retried', '=', false)
    .where('jobs.id', '!=', job.id)
    .where(
      needed === null
        ? sql<boolean>`jobs.stage_index < ${job.stage_index}`
        : sql<boolean>`jobs.name = any(${needed}::text[])`,
    )
    .orderBy('jobs.stage_index')
    .orderBy('jobs.id')
    .execute();
  return rows.map(({ filename, size, ...row }) => ({
    ...row,
    archive: filename === null || size === null ? null : { filename, size },
  }));
}

export async function pipelineVariableRows(
  db: Db,
  pipelineId: number,
): Promise<Array<{ key: string; value_encrypted: Buffer; variable_type: string; raw: boolean }>> {
  return await db
    .selectFrom('pipeline_variables')
    .select(['key', 'value_encrypted', 'variable_type', 'raw'])
    .where('pipeline_id', '=', pipelineId)
    .orderBy('key')
    .execute();
}

export async function findMergeRequest(db: Db, id: number): Promise<MergeRequest | undefined> {
  return await db.selectFrom('merge_requests').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The branch that the merge request of a pipeline changes; null where it is of none. */
export async function targetBranchOf(db: Db, pipelineId: number): Promise<string | null> {
  const row = await db
    .selectFrom('pipelines')
    .innerJoin('merge_requests', 'merge_requests.id', 'pipelines.merge_request_id')
    .select('merge_requests.target_branch')
    .where('pipelines.id', '=', pipelineId)
    .executeTakeFirst();
  return row?.target_branch ?? null;
}

/** Names of assignees in the order in which they are shown. */
export async function assigneeNames(db: Db, mergeRequestId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('merge_request_people')
    .innerJoin('users', 'users.id', 'merge_request_people.user_id')
    .select('users.username')
    .where('merge_request_people.merge_request_id', '=', mergeRequestId)
    .where('merge_request_people.role', '=', 'assignee')
    .orderBy('merge_request_people.position')
    .execute();
  return rows.map((row) => row.username);
}

interface MergeRequestWords {
  /** Titles of its labels, in their order. */
  readonly labels: readonly string[];
  /** Title of its milestone. */
  readonly milestone: string | null;
  /** Id of its newest version. */
  readonly version_id: number | null;
}

/** What variables say of a merge request besides its row. */
export async function mergeRequestWords(db: Db, mergeRequestId: number): Promise<MergeRequestWords> {
  const { rows } = await sql<MergeRequestWords>`
    select coalesce((select array_agg(l.title order by l.title) from merge_request_labels ml
        join labels l on l.id = ml.label_id where ml.merge_request_id = m.id), '{}') as labels,
      (select s.title from milestones s where s.id = m.milestone_id) as milestone,
      (select max(v.id) from merge_request_versions v where v.merge_request_id = m.id) as version_id
    from merge_requests m where m.id = ${mergeRequestId}`.execute(db);
  return rows[0] ?? { labels: [], milestone: null, version_id: null };
}

/** Names of the languages of a project that were measured, the most used first. */
export async function languageNames(db: Db, projectId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('project_languages')
    .select('name')
    .where('project_id', '=', projectId)
    .orderBy('share', 'desc')
    .orderBy('name')
    .limit(5)
    .execute();
  return rows.map(({ name }) => name);
}

/** What the schedule of a pipeline is called; null where it has none. */
export async function scheduleDescription(db: Db, scheduleId: number | null): Promise<string | null> {
  if (scheduleId === null) return null;
  const row = await db
    .selectFrom('pipeline_schedules')
    .select('description')
    .where('id', '=', scheduleId)
    .executeTakeFirst();
  return row?.description ?? null;
}

/** What rules of jobs may know of an environment; null when the project has none of this name. */
export async function environmentFacts(
  db: Db,
  projectId: number,
  name: string,
): Promise<{ tier: string; url: string | null } | null> {
  const row = await db
    .selectFrom('environments')
    .select(['tier', 'external_url as url'])
    .where('project_id', '=', projectId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row ?? null;
}

/** Open requests of a branch as `path!iid` with their projects, the newest first. */
export async function openMergeRequestsOf(
  db: Db,
  projectId: number,
  branch: string,
  limit: number,
): Promise<Array<{ projectId: number; reference: string }>> {
  const rows = await db
    .selectFrom('merge_requests')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['merge_requests.iid', 'projects.id', 'projects.path', 'namespaces.full_path'])
    .where('merge_requests.source_project_id', '=', projectId)
    .where('merge_requests.source_branch', '=', branch)
    .where('merge_requests.state', '=', 'opened')
    .orderBy('merge_requests.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ projectId: row.id, reference: `${row.full_path}/${row.path}!${row.iid}` }));
}

/** A project with its namespace. */
export async function findPlace(
  db: Db,
  projectId: number,
): Promise<{ project: Project; namespace: Namespace } | undefined> {
  const project = await db.selectFrom('projects').selectAll().where('id', '=', projectId).executeTakeFirst();
  if (!project) return undefined;
  const namespace = await db
    .selectFrom('namespaces')
    .selectAll()
    .where('id', '=', project.namespace_id)
    .executeTakeFirst();
  return namespace && { project, namespace };
}
