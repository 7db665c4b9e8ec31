/** Scans of jobs and what they found. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Identifier, ReportFinding, ReportType } from './report.ts';

export interface ReportArtifact {
  readonly file_type: string;
  readonly object_key: string;
}

/** Reports that a job has left and that nobody has read. */
export async function unreadReports(db: Db, jobId: number, types: readonly string[]): Promise<ReportArtifact[]> {
  return await db
    .selectFrom('job_artifacts as a')
    .select(['a.file_type', 'a.object_key'])
    .where('a.job_id', '=', jobId)
    .where('a.file_type', 'in', [...types])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('security_scans as s')
            .select('s.id')
            .whereRef('s.job_id', '=', 'a.job_id')
            .whereRef('s.report_type', '=', 'a.file_type'),
        ),
      ),
    )
    .orderBy('a.file_type')
    .execute();
}

export interface ScannedPipeline {
  readonly id: number;
  readonly project_id: number;
  readonly user_id: number | null;
  /** Whether it is of the project's default branch. */
  readonly main: boolean;
}

export async function pipelineOf(db: Db, pipelineId: number): Promise<ScannedPipeline | undefined> {
  const { rows } = await sql<ScannedPipeline>`
    select p.id, p.project_id, p.user_id,
      not p.tag and p.source <> 'merge_request_event' and p.ref is not distinct from r.default_branch as main
    from pipelines p join projects r on r.id = p.project_id
    where p.id = ${pipelineId}`.execute(db);
  return rows[0];
}

export interface NewScan {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly jobId: number;
  readonly reportType: ReportType;
  readonly errors: readonly string[];
  readonly count: number;
}

/** Its id; null where another delivery has read the report. */
export async function insertScan(tx: Db, scan: NewScan): Promise<number | null> {
  const row = await tx
    .insertInto('security_scans')
    .values({
      project_id: scan.projectId,
      pipeline_id: scan.pipelineId,
      job_id: scan.jobId,
      report_type: scan.reportType,
      errors: JSON.stringify(scan.errors),
      findings_count: scan.count,
    })
    .onConflict((conflict) => conflict.columns(['job_id', 'report_type']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Ids of scanners by what they call themselves. */
export async function saveScanners(
  tx: Db,
  projectId: number,
  scanners: readonly ReportFinding['scanner'][],
): Promise<Map<string, number>> {
  const rows = await tx
    .insertInto('security_scanners')
    .values(scanners.map((scanner) => ({ project_id: projectId, ...scanner })))
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'external_id']).doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        vendor: eb.ref('excluded.vendor'),
      })),
    )
    .returning(['id', 'external_id'])
    .execute();
  return new Map(rows.map(({ id, external_id }) => [external_id, id]));
}

export const identifierKey = ({ external_type, external_id }: Pick<Identifier, 'external_type' | 'external_id'>) =>
  JSON.stringify([external_type, external_id]);

export async function saveIdentifiers(
  tx: Db,
  projectId: number,
  identifiers: readonly Identifier[],
): Promise<Map<string, number>> {
  const rows = await tx
    .insertInto('security_identifiers')
    .values(identifiers.map((identifier) => ({ project_id: projectId, ...identifier })))
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'external_type', 'external_id']).doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        url: eb.ref('excluded.url'),
      })),
    )
    .returning(['id', 'external_type', 'external_id'])
    .execute();
  return new Map(rows.map((row) => [identifierKey(row), row.id]));
}

export interface SavedFinding {
  readonly id: number;
  readonly uuid: string;
  readonly vulnerability_id: number | null;
}

export interface FindingIds {
  readonly scannerId: number;
  readonly identifierIds: readonly [number, ...number[]];
}

/** New ones, and those that are there as they are reported now. */
export async function saveFindings(
  tx: Db,
  projectId: number,
  reportType: ReportType,
  found: readonly (ReportFinding & FindingIds)[],
): Promise<SavedFinding[]> {
  const rows = await tx
    .insertInto('vulnerability_findings')
    .values(
      found.map(({ scannerId, identifierIds: [primary], scanner: _scanner, identifiers: _all, ...finding }) => ({
        ...finding,
        location: JSON.stringify(finding.location),
        links: JSON.stringify(finding.links),
        project_id: projectId,
        report_type: reportType,
        scanner_id: scannerId,
        primary_identifier_id: primary,
      })),
    )
    .onConflict((conflict) =>
      conflict.column('uuid').doUpdateSet((eb) => ({
        name: eb.ref('excluded.name'),
        description: eb.ref('excluded.description'),
        solution: eb.ref('excluded.solution'),
        severity: eb.ref('excluded.severity'),
        confidence: eb.ref('excluded.confidence'),
        location: eb.ref('excluded.location'),
        links: eb.ref('excluded.links'),
        metadata_version: eb.ref('excluded.metadata_version'),
        raw_metadata: eb.ref('excluded.raw_metadata'),
        updated_at: sql`now()`,
      })),
    )
    .returning(['id', 'uuid', 'vulnerability_id'])
    .execute();
  const ids = new Map(rows.map(({ id, uuid }) => [uuid, id]));
  const links = found.flatMap(({ uuid, identifierIds }) =>
    [...new Set(identifierIds)].map((identifier_id, position) => ({
      finding_id: ids.get(uuid) as number,
      identifier_id,
      position,
    })),
  );
  await tx
    .insertInto('finding_identifiers')
    .values(links)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return rows;
}

export async function linkToScan(tx: Db, scanId: number, findingIds: readonly number[]): Promise<void> {
  await tx
    .insertInto('security_scan_findings')
    .values(findingIds.map((finding_id) => ({ scan_id: scanId, finding_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** How many more vulnerabilities the project may have; others that make some wait for the end of the transaction. */
export async function roomForVulnerabilities(tx: Db, projectId: number, most: number): Promise<number> {
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from vulnerabilities where project_id = ${projectId}`.execute(tx);
  return Math.max(0, most - (rows[0]?.count ?? 0));
}

/** Makes a vulnerability of each finding that has none, up to `room`; they belong to whoever ran the pipeline. */
export async function detect(
  tx: Db,
  findingIds: readonly number[],
  authorId: number | null,
  room: number | null,
): Promise<void> {
  await sql`
    with fresh as (
      select f.*, nextval(pg_get_serial_sequence('vulnerabilities', 'id')) as new_id
      from vulnerability_findings f
      where f.id = any(${[...findingIds]}::bigint[]) and f.vulnerability_id is null
      order by f.id
      limit ${room}
      for update
    ), made as (
      insert into vulnerabilities (id, project_id, author_id, title, description, state, severity, confidence, report_type)
      select new_id, project_id, ${authorId}, name, description, 'detected', severity, confidence, report_type from fresh
      returning id
    )
    update vulnerability_findings f set vulnerability_id = fresh.new_id
    from fresh join made on made.id = fresh.new_id where f.id = fresh.id`.execute(tx);
}

/** What the default branch no longer has, and has again, of one kind of report: by all scans of one pipeline. */
export async function compareWithDefaultBranch(tx: Db, pipelineId: number, reportType: ReportType): Promise<void> {
  await sql`
    update vulnerabilities v set resolved_on_default_branch = not v.resolved_on_default_branch, updated_at = now()
    from vulnerability_findings f, pipelines p
    where p.id = ${pipelineId}
      -- What an older pipeline says late is no news.
      and not exists (select 1 from security_scans later join pipelines l on l.id = later.pipeline_id
        where later.project_id = p.project_id and later.report_type = ${reportType} and later.pipeline_id > p.id
          and l.ref = p.ref and not l.tag)
      and v.project_id = p.project_id and v.report_type = ${reportType}
      and f.vulnerability_id = v.id
      and v.resolved_on_default_branch = exists (
        select 1 from security_scan_findings sf join security_scans s on s.id = sf.scan_id
        where sf.finding_id = f.id and s.pipeline_id = p.id)`.execute(tx);
}
