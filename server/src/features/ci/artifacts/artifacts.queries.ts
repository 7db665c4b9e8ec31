/** Rows of `job_artifacts`, and which of them may go. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, JobArtifact } from '../../../kernel/db/rows.ts';
import { nearestSaid } from '../../namespaces/index.ts';
import { familyOf } from '../downstream/sources.queries.ts';
import { noteRemovals } from './usage.queries.ts';

export interface NewArtifact {
  readonly jobId: number;
  readonly projectId: number;
  readonly fileType: string;
  readonly fileFormat: string;
  readonly filename: string;
  readonly size: number;
  readonly sha256: Buffer;
  readonly objectKey: string;
  readonly accessibility: string;
  readonly expireAt: Date | null;
}

/** Stores one; an archive or report that is there already is kept, and false is answered. */
export async function insertArtifact(tx: Db, artifact: NewArtifact): Promise<boolean> {
  const row = await tx
    .insertInto('job_artifacts')
    .values({
      job_id: artifact.jobId,
      project_id: artifact.projectId,
      file_type: artifact.fileType,
      file_format: artifact.fileFormat,
      filename: artifact.filename,
      size: artifact.size,
      sha256: artifact.sha256,
      object_key: artifact.objectKey,
      accessibility: artifact.accessibility,
      expire_at: artifact.expireAt,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The artifact of one type of a job. What has expired is served until the sweep removes it. */
export async function findArtifact(db: Db, jobId: number, fileType: string): Promise<JobArtifact | undefined> {
  return await db
    .selectFrom('job_artifacts')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('file_type', '=', fileType)
    .orderBy('id')
    .executeTakeFirst();
}

export async function deleteArtifactsOf(tx: Db, jobId: number): Promise<void> {
  await tx.deleteFrom('job_artifacts').where('job_id', '=', jobId).execute();
  // What was read from a report is deleted with it.
  await tx.deleteFrom('job_test_reports').where('job_id', '=', jobId).execute();
  await tx.deleteFrom('job_reports').where('job_id', '=', jobId).execute();
  await tx.updateTable('jobs').set({ artifacts_expire_at: null }).where('id', '=', jobId).execute();
}

/** Keeps what a job stored until somebody deletes it. */
export async function keepArtifacts(tx: Db, jobId: number): Promise<void> {
  await tx.updateTable('job_artifacts').set({ expire_at: null }).where('job_id', '=', jobId).execute();
  await tx.updateTable('jobs').set({ artifacts_expire_at: null }).where('id', '=', jobId).execute();
}

/** Notes on the job when its artifacts go. */
export async function setArtifactsExpiry(tx: Db, jobId: number, at: Date | null): Promise<void> {
  await tx.updateTable('jobs').set({ artifacts_expire_at: at }).where('id', '=', jobId).execute();
}

/** The newest successful pipeline of each ref keeps its artifacts. */
const newestSuccessful = sql`(
  select max(pipelines.id) from pipelines
  where pipelines.project_id = jobs.project_id and pipelines.ref = jobs.ref and pipelines.status = 'success'
)`;

/** Lets everything that may be deleted expire now: of jobs that ended, but for the kept pipelines. */
export async function expireAll(tx: Db, projectId: number, keepLatest: boolean): Promise<void> {
  // One statement: `now()` is rounded when it is stored, so what has just expired may not be before `now()`.
  await sql`
    with expired as (
      update job_artifacts set expire_at = now()
      from jobs
      where jobs.id = job_artifacts.job_id and job_artifacts.project_id = ${projectId}
        and jobs.status not in ('running', 'canceling')
        and (not ${keepLatest}::boolean or jobs.pipeline_id is distinct from ${newestSuccessful})
      returning job_artifacts.job_id
    )
    update jobs set artifacts_expire_at = now() where id in (select job_id from expired)
  `.execute(tx);
}

/** Deletes up to `limit` rows that have expired and are not kept for their ref; how many. */
export async function deleteExpired(tx: Db, keepLatest: boolean, limit: number): Promise<number> {
  const result = await sql<{ project_id: number; size: number }>`
    delete from job_artifacts where id in (
      select job_artifacts.id from job_artifacts
      join jobs on jobs.id = job_artifacts.job_id
      join projects on projects.id = job_artifacts.project_id
      where job_artifacts.expire_at <= now()
        and (
          not (${keepLatest}::boolean and projects.keep_latest_artifact)
          or jobs.pipeline_id is distinct from ${newestSuccessful}
        )
      order by job_artifacts.expire_at limit ${limit}
    ) returning project_id, size
  `.execute(tx);
  await noteRemovals(tx, result.rows);
  return result.rows.length;
}

/** The newest job of that name with an archive, in the newest successful pipeline of a ref or else in its children. */
export async function findJobOfRef(db: Db, projectId: number, ref: string, name: string): Promise<Job | undefined> {
  const newest = await db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('source', '!=', 'parent_pipeline')
    .where('ref', '=', ref)
    .where('status', '=', 'success')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!newest) return undefined;
  const family = await familyOf(db, newest.id);
  const jobs = await db
    .selectFrom('jobs')
    .selectAll()
    .where('pipeline_id', 'in', family)
    .where('name', '=', name)
    .where('retried', '=', false)
    .where('status', '=', 'success')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('job_artifacts')
          .select('id')
          .whereRef('job_id', '=', 'jobs.id')
          .where('file_type', '=', 'archive'),
      ),
    )
    .orderBy('id', 'desc')
    .execute();
  // The parent's wins over its children's.
  return family.flatMap((id) => jobs.filter((job) => job.pipeline_id === id))[0];
}

type SourceJob = Pick<
  Job,
  'id' | 'name' | 'project_id' | 'pipeline_id' | 'ref' | 'tag' | 'ref_protected' | 'debug_trace' | 'dotenv_encrypted'
>;
const sourceColumns = [
  'id',
  'name',
  'project_id',
  'pipeline_id',
  'ref',
  'tag',
  'ref_protected',
  'debug_trace',
  'dotenv_encrypted',
] as const;

/** Jobs of that name that succeeded, the newest first. */
const successes = (db: Db, name: string) =>
  db
    .selectFrom('jobs')
    .select(sourceColumns)
    .where('name', '=', name)
    .where('status', '=', 'success')
    .where('kind', '=', 'job')
    .where('retried', '=', false)
    .orderBy('id', 'desc')
    .limit(1);

/** The newest job of that name that succeeded on a ref of a project. */
export const newestSuccess = (db: Db, projectId: number, ref: string, name: string): Promise<SourceJob | undefined> =>
  successes(db, name).where('project_id', '=', projectId).where('ref', '=', ref).executeTakeFirst();

/** The job of that name in a pipeline, if it succeeded. */
export const successIn = (db: Db, pipelineId: number, name: string): Promise<SourceJob | undefined> =>
  successes(db, name).where('pipeline_id', '=', pipelineId).executeTakeFirst();

export async function setDotenv(tx: Db, jobId: number, sealed: Buffer): Promise<void> {
  await tx.updateTable('jobs').set({ dotenv_encrypted: sealed }).where('id', '=', jobId).execute();
}

/** MiB that the artifacts of a job may have: what the project says, else the nearest group above; null where none does. */
export async function maximumOfProject(db: Db, projectId: number): Promise<number | null> {
  const { rows } = await sql<{ most: number | null }>`
    select coalesce(p.max_artifacts_size, ${nearestSaid('max_artifacts_size')}) as most
    from projects p
    join namespaces n on n.id = p.namespace_id
    where p.id = ${projectId}`.execute(db);
  return rows[0]?.most ?? null;
}
