/** Rows of `job_test_reports`. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';

export interface UnreadReport {
  readonly object_key: string;
  readonly name: string;
}

/** The JUnit report that a job has left, unless it was read; undefined when there is none. */
export async function unreadReport(db: Db, jobId: number): Promise<UnreadReport | undefined> {
  return await db
    .selectFrom('job_artifacts as a')
    .innerJoin('jobs as j', 'j.id', 'a.job_id')
    .select(['a.object_key', 'j.name'])
    .where('a.job_id', '=', jobId)
    .where('a.file_type', '=', 'junit')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('job_test_reports as r').select('r.job_id').whereRef('r.job_id', '=', 'a.job_id'))),
    )
    .executeTakeFirst();
}

export interface NewTestReport {
  readonly jobId: number;
  readonly suite: string;
  readonly time: number;
  readonly counts: Readonly<Record<'success' | 'failed' | 'skipped' | 'error', number>>;
  readonly error: string | null;
  readonly cases: Buffer;
  readonly casesSize: number;
}

/** False where another delivery has read the report, or the job has lost it meanwhile. */
export async function insertTestReport(tx: Db, report: NewTestReport): Promise<boolean> {
  const row = await tx
    .insertInto('job_test_reports')
    .columns([
      'job_id',
      'suite_name',
      'total_time',
      'success_count',
      'failed_count',
      'skipped_count',
      'error_count',
      'suite_error',
      'cases',
      'cases_size',
    ])
    .expression((eb) =>
      eb
        .selectFrom('job_artifacts')
        .select(({ val }) => [
          'job_artifacts.job_id',
          val(report.suite).as('suite_name'),
          val(report.time).as('total_time'),
          val(report.counts.success).as('success_count'),
          val(report.counts.failed).as('failed_count'),
          val(report.counts.skipped).as('skipped_count'),
          val(report.counts.error).as('error_count'),
          val(report.error).as('suite_error'),
          val(report.cases).as('cases'),
          val(report.casesSize).as('cases_size'),
        ])
        .where('job_artifacts.job_id', '=', report.jobId)
        .where('job_artifacts.file_type', '=', 'junit')
        .forKeyShare(),
    )
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .returning('job_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A report without its cases, and what decides who may read them. */
export type StoredReport = Pick<Job, 'id' | 'ref' | 'tag' | 'ref_protected' | 'pipeline_id' | 'debug_trace'> & {
  readonly suite_name: string;
  readonly total_time: number;
  readonly success_count: number;
  readonly failed_count: number;
  readonly skipped_count: number;
  readonly error_count: number;
  readonly suite_error: string | null;
  readonly cases_size: number;
};

/** Reports of the last attempts of jobs, in the order of the jobs. */
export async function reportsOf(db: Db, pipelineIds: readonly number[]): Promise<StoredReport[]> {
  return await db
    .selectFrom('jobs as j')
    .innerJoin('job_test_reports as r', 'r.job_id', 'j.id')
    .select(['j.id', 'j.ref', 'j.tag', 'j.ref_protected', 'j.pipeline_id', 'j.debug_trace'])
    .select(['r.suite_name', 'r.total_time', 'r.success_count', 'r.failed_count', 'r.skipped_count', 'r.error_count'])
    .select(['r.suite_error', 'r.cases_size'])
    .where('j.pipeline_id', 'in', [...pipelineIds])
    .where('j.retried', '=', false)
    .orderBy('j.id')
    .execute();
}

/** The cases of one job, as they were stored. */
export async function storedCases(db: Db, jobId: number): Promise<Buffer | undefined> {
  const row = await db.selectFrom('job_test_reports').select('cases').where('job_id', '=', jobId).executeTakeFirst();
  return row?.cases;
}
