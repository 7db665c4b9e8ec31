/** Rows of `job_reports`, and the pipelines of a merge request that are compared. */
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';

interface UnreadReport {
  readonly file_type: string;
  readonly object_key: string;
  /** Full path of the job's project. */
  readonly project_path: string;
}

/** Reports of some kinds that a job has left and that were not read. */
export async function unreadReports(db: Db, jobId: number, kinds: readonly string[]): Promise<UnreadReport[]> {
  return await db
    .selectFrom('job_artifacts as a')
    .innerJoin('jobs as j', 'j.id', 'a.job_id')
    .innerJoin('projects as p', 'p.id', 'j.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.namespace_id')
    .select(['a.file_type', 'a.object_key'])
    .select(sql<string>`n.full_path || '/' || p.path`.as('project_path'))
    .where('a.job_id', '=', jobId)
    .where('a.file_type', 'in', [...kinds])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('job_reports as r')
            .select('r.job_id')
            .whereRef('r.job_id', '=', 'a.job_id')
            .whereRef('r.kind', '=', 'a.file_type'),
        ),
      ),
    )
    .orderBy('a.id')
    .execute();
}

interface NewReport {
  readonly jobId: number;
  readonly kind: string;
  readonly error: string | null;
  readonly summary: Readonly<Record<string, number>>;
  readonly content: Buffer;
  readonly contentSize: number;
}

/** False where another delivery has read the report, or the job has lost it meanwhile. */
export async function insertReport(tx: Db, report: NewReport): Promise<boolean> {
  const { rows } = await sql`
    insert into job_reports (job_id, kind, error, summary, content, content_size)
    select job_id, file_type, ${report.error}, ${JSON.stringify(report.summary)}::jsonb, ${report.content}::bytea,
      ${report.contentSize}::integer
    from job_artifacts where job_id = ${report.jobId} and file_type = ${report.kind}
    for key share
    on conflict (job_id, kind) do nothing
    returning id`.execute(tx);
  return rows.length > 0;
}

/** A report, and what decides who may read it. */
export type StoredReport = Pick<
  Job,
  'id' | 'name' | 'ref' | 'tag' | 'ref_protected' | 'pipeline_id' | 'debug_trace' | 'project_id'
> & { readonly report_id: number; readonly kind: string; readonly error: string | null; readonly content_size: number };

/** Reports of some kinds of the last attempts of jobs, in the order of the jobs. */
export async function reportsOf(
  db: Db,
  pipelineIds: readonly number[],
  kinds: readonly string[],
): Promise<StoredReport[]> {
  if (pipelineIds.length === 0) return [];
  return await db
    .selectFrom('jobs as j')
    .innerJoin('job_reports as r', 'r.job_id', 'j.id')
    .select(['j.id', 'j.name', 'j.ref', 'j.tag', 'j.ref_protected', 'j.pipeline_id', 'j.debug_trace', 'j.project_id'])
    .select(['r.id as report_id', 'r.kind', 'r.error', 'r.content_size'])
    .where('j.pipeline_id', 'in', [...pipelineIds])
    .where('j.retried', '=', false)
    .where('r.kind', 'in', [...kinds])
    .orderBy('j.id')
    .execute();
}

/** The content of one report, as it was stored. */
export async function storedContent(db: Db, reportId: number): Promise<Buffer | undefined> {
  const row = await db.selectFrom('job_reports').select('content').where('id', '=', reportId).executeTakeFirst();
  return row?.content;
}

interface ComparedPipelines {
  /** The latest with such reports of the merge request. */
  readonly head: number | null;
  /** That of the commit where the branches parted, or else the latest of the target branch. */
  readonly base: number | null;
  readonly base_sha: string | null;
  readonly head_sha: string | null;
  readonly target_branch: string;
}

/** How many of the newest pipelines are looked at. */
const considered = 20;

/** The newest pipelines of a merge request, whose reports its page shows. */
const newestOf = (request: RawBuilder<unknown>) => sql<{ id: number }>`
  select p.id from pipelines p
  where p.merge_request_id = ${request}.id
    or (${request}.source_project_id = ${request}.project_id and p.project_id = ${request}.project_id
      and p.ref = ${request}.source_branch and not p.tag and p.source <> 'parent_pipeline')
  order by p.id desc limit ${considered}`;

/** The routes below a merge request that answer more than nothing, by the kinds of reports that they read. */
const routesOf: Readonly<Record<string, string>> = {
  accessibility: 'accessibility_reports',
  browser_performance: 'browser_performance_reports',
  cobertura: 'coverage_reports',
  codequality: 'codequality_reports',
  exposed: 'exposed_artifacts',
  jacoco: 'coverage_reports',
  junit: 'test_reports',
  license_scanning: 'license_scanning_reports',
  load_performance: 'load_performance_reports',
  metrics: 'metrics_reports',
  performance: 'browser_performance_reports',
  scan: 'vulnerability_comparison',
  terraform: 'terraform_reports',
};

/** The names of these routes for one merge request, and those of what is no report but stands beside them. */
export async function reportRoutesOf(db: Db, requestId: number): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    with request as (select * from merge_requests where id = ${requestId}),
      newest as (select p.id from request, lateral (${newestOf(sql`request`)}) p),
      family as (select id from newest union select s.pipeline_id from pipeline_sources s
        where s.source_pipeline_id in (select id from newest)),
      made as (select j.id from jobs j where j.pipeline_id in (select id from family))
    select distinct r.kind from made join job_reports r on r.job_id = made.id
    union select 'junit' where exists (select from made join job_test_reports r on r.job_id = made.id)
    union select 'exposed' where exists (select from request join jobs j on j.pipeline_id = request.head_pipeline_id
      where not j.retried and j.plan #> '{artifacts,expose_as}' is not null)
    union select 'scan' where exists (select from request m join security_scans s on s.project_id = m.project_id
      join pipelines p on p.id = s.pipeline_id where p.merge_request_id = m.id
        or (m.source_project_id = m.project_id and p.ref = m.source_branch and not p.tag))`.execute(db);
  const names = rows.map(({ kind }) => routesOf[kind]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Undefined where there is no such merge request. Reports of child pipelines count for their parents. */
export async function comparedPipelines(
  db: Db,
  projectId: number,
  iid: number,
  kinds: readonly string[],
): Promise<ComparedPipelines | undefined> {
  const left = kinds.includes('junit')
    ? sql`(select from job_test_reports r where r.job_id = j.id)`
    : sql`(select from job_reports r where r.job_id = j.id and r.kind = any(${[...kinds]}))`;
  const has = sql`exists (select from jobs j where exists ${left} and (j.pipeline_id = p.id or j.pipeline_id in
    (select s.pipeline_id from pipeline_sources s where s.source_pipeline_id = p.id)))`;
  const onTarget = sql`p.ref = m.target_branch and not p.tag and p.merge_request_id is null
    and p.source <> 'parent_pipeline'`;
  const { rows } = await sql<ComparedPipelines>`
    select m.head_sha, m.base_sha, m.target_branch,
      (select p.id from (${newestOf(sql`m`)}) p
        where ${has} order by p.id desc limit 1) as head,
      (select p.id from (
          (select p.id, p.sha, true as parted from pipelines p
            where p.project_id = m.project_id and p.sha = m.base_sha and ${onTarget}
            order by p.id desc limit ${considered})
          union all
          (select p.id, p.sha, false from pipelines p
            where p.project_id = m.project_id and p.ref = m.target_branch and ${onTarget}
            order by p.id desc limit ${considered})) p
        where ${has} order by p.parted desc, p.id desc limit 1) as base
    from merge_requests m where m.project_id = ${projectId} and m.iid = ${iid}`.execute(db);
  return rows[0];
}

/** What the configuration of jobs says for one variable, as it is written; of jobs that say nothing there is nothing. */
export async function valuesOf(db: Db, jobIds: readonly number[], variable: string): Promise<string[]> {
  if (jobIds.length === 0) return [];
  const { rows } = await sql<{ value: string }>`
    select v ->> 'value' as value from jobs, jsonb_array_elements(plan -> 'variables') v
    where jobs.id = any(${[...jobIds]}::bigint[]) and v ->> 'key' = ${variable}`.execute(db);
  return rows.map(({ value }) => value);
}
