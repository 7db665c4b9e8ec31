/** Rows of `test_failures`. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';

/** The job whose report was read. */
export interface ReportedJob {
  readonly jobId: number;
  readonly projectId: number;
  readonly sha: string;
  /** Name of the job, or of the jobs that share it. */
  readonly suite: string;
  readonly onDefaultBranch: boolean;
}

/** Jobs of one commit whose reports are compared: attempts, and pipelines that ran again. */
const comparedJobs = 10;

/** What a report says of is in this job and commit; undefined when the job is gone. */
export async function reportedJob(db: Db, jobId: number): Promise<Omit<ReportedJob, 'suite'> | undefined> {
  return await db
    .selectFrom('jobs as j')
    .innerJoin('pipelines as l', 'l.id', 'j.pipeline_id')
    .innerJoin('projects as p', 'p.id', 'j.project_id')
    .select(['j.id as jobId', 'j.project_id as projectId', 'l.sha'])
    .select(sql<boolean>`not l.tag and l.merge_request_id is null and l.ref = p.default_branch`.as('onDefaultBranch'))
    .where('j.id', '=', jobId)
    .executeTakeFirst();
}

/** The stored cases of other jobs of the suite for the commit, the newest ones. */
export async function otherReports(tx: Db, job: ReportedJob): Promise<Buffer[]> {
  const rows = await tx
    .selectFrom('pipelines as l')
    .innerJoin('jobs as j', 'j.pipeline_id', 'l.id')
    .innerJoin('job_test_reports as r', 'r.job_id', 'j.id')
    .select('r.cases')
    .where('l.project_id', '=', job.projectId)
    .where('l.sha', '=', job.sha)
    .where('r.suite_name', '=', job.suite)
    .where('r.suite_error', 'is', null)
    .where('j.id', '!=', job.jobId)
    .orderBy('j.id', 'desc')
    .limit(comparedJobs)
    .execute();
  return rows.map(({ cases }) => cases);
}

/** A test case that failed, as its report names it. */
export interface FailedCase {
  readonly file: string | null;
  readonly classname: string | null;
  readonly name: string;
}

/** Of the newest attempt before this one that left a report: the cases that failed, in the order of the report. */
export async function failuresBefore(
  db: Db,
  job: { readonly id: number; readonly pipeline_id: number; readonly name: string },
): Promise<FailedCase[]> {
  return await db
    .selectFrom('test_failures as f')
    .select(['f.file', 'f.classname', 'f.name'])
    .where('f.job_id', '=', (of) =>
      of
        .selectFrom('jobs as j')
        .innerJoin('job_test_reports as r', 'r.job_id', 'j.id')
        .select('j.id')
        .where('j.pipeline_id', '=', job.pipeline_id)
        .where('j.name', '=', job.name)
        .where('j.id', '<', job.id)
        .where('j.retried', '=', true)
        .orderBy('j.id', 'desc')
        .limit(1),
    )
    .orderBy('f.id')
    .execute();
}

interface NewFailure {
  readonly hash: Buffer;
  readonly suite: string | null;
  readonly classname: string | null;
  readonly name: string;
  readonly file: string | null;
  readonly flaky: boolean;
}

export async function insertFailures(tx: Db, job: ReportedJob, failures: readonly NewFailure[]): Promise<void> {
  if (failures.length === 0) return;
  await tx
    .insertInto('test_failures')
    .values(
      failures.map(({ hash, suite, classname, name, file, flaky }) => ({
        project_id: job.projectId,
        job_id: job.jobId,
        case_hash: hash,
        suite_name: job.suite,
        case_suite: suite,
        classname,
        name,
        file,
        on_default_branch: job.onDefaultBranch,
        flaky,
      })),
    )
    .onConflict((conflict) => conflict.columns(['job_id', 'case_hash']).doNothing())
    .execute();
}

/** Failures of the suite in other jobs for the commit that are not known to be flaky. */
export async function failuresOfCommit(tx: Db, job: ReportedJob): Promise<Array<{ id: number; case_hash: Buffer }>> {
  return await tx
    .selectFrom('pipelines as l')
    .innerJoin('jobs as j', 'j.pipeline_id', 'l.id')
    .innerJoin('test_failures as f', 'f.job_id', 'j.id')
    .select(['f.id', 'f.case_hash'])
    .where('l.project_id', '=', job.projectId)
    .where('l.sha', '=', job.sha)
    .where('f.suite_name', '=', job.suite)
    .where('f.flaky', '=', false)
    .where('j.id', '!=', job.jobId)
    .orderBy('f.id')
    .execute();
}

export async function markFlaky(tx: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .updateTable('test_failures')
    .set({ flaky: true })
    .where('id', 'in', [...ids])
    .execute();
}

export interface CaseHistory {
  readonly suite_name: string;
  readonly case_suite: string | null;
  readonly classname: string | null;
  readonly name: string;
  readonly file: string | null;
  readonly failures: number;
  readonly flaky_failures: number;
  readonly default_branch_failures: number;
  readonly last_failed_at: Date;
  readonly last_job_id: number;
}

/** Cases of a project that failed since, the most frequent ones first. */
export async function caseHistories(
  db: Db,
  of: { readonly projectId: number; readonly since: Date; readonly flaky: boolean },
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: CaseHistory[]; total: number }> {
  const found = sql`
    select case_hash, count(*)::int as failures, count(*) filter (where flaky)::int as flaky_failures,
      count(*) filter (where on_default_branch)::int as default_branch_failures, max(id) as newest
    from test_failures where project_id = ${of.projectId} and failed_at >= ${of.since}
    group by case_hash ${of.flaky ? sql`having count(*) filter (where flaky) > 0` : sql``}`;
  const [{ rows }, counted] = await Promise.all([
    sql<CaseHistory>`
      select f.suite_name, f.case_suite, f.classname, f.name, f.file, g.failures, g.flaky_failures,
        g.default_branch_failures, f.failed_at as last_failed_at, f.job_id as last_job_id
      from (${found}) g join test_failures f on f.id = g.newest
      order by ${of.flaky ? sql`g.flaky_failures` : sql`g.failures`} desc, f.id desc
      limit ${page.limit} offset ${page.offset}`.execute(db),
    sql<{ total: number }>`select count(*)::int as total from (${found}) g`.execute(db),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}

/** How often each case failed on the default branch since, by its hash in hexadecimal. */
export async function recentFailures(
  db: Db,
  projectId: number,
  hashes: readonly Buffer[],
  since: Date,
): Promise<ReadonlyMap<string, number>> {
  if (hashes.length === 0) return new Map();
  const { rows } = await sql<{ hash: string; count: number }>`
    select encode(case_hash, 'hex') as hash, count(*)::int as count from test_failures
    where project_id = ${projectId} and case_hash = any(${[...hashes]}::bytea[]) and on_default_branch
      and failed_at >= ${since}
    group by case_hash`.execute(db);
  return new Map(rows.map(({ hash, count }) => [hash, count]));
}
