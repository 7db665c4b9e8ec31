/** What a merge request adds to the findings of its target branch, and what it fixes. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { ListedFinding } from './vulnerabilities.queries.ts';

interface ComparedPipelines {
  /** The latest with reports of the target branch; null where it was never scanned. */
  readonly base: number | null;
  /** The latest with reports of the merge request. */
  readonly head: number | null;
}

/** Undefined where there is no such merge request. */
export async function comparedPipelines(
  db: Db,
  projectId: number,
  iid: number,
): Promise<ComparedPipelines | undefined> {
  const { rows } = await sql<ComparedPipelines>`
    select
      (select s.pipeline_id from security_scans s join pipelines p on p.id = s.pipeline_id
        where s.project_id = m.project_id and p.ref = m.target_branch and not p.tag and p.merge_request_id is null
        order by s.pipeline_id desc limit 1) as base,
      (select s.pipeline_id from security_scans s join pipelines p on p.id = s.pipeline_id
        where s.project_id = m.project_id and (p.merge_request_id = m.id
          or (m.source_project_id = m.project_id and p.ref = m.source_branch and not p.tag))
        order by s.pipeline_id desc limit 1) as head
    from merge_requests m where m.project_id = ${projectId} and m.iid = ${iid}`.execute(db);
  return rows[0];
}

/** Findings of one pipeline that another one does not have, the worst first; dismissed ones left out. */
export async function findingsOnlyIn(
  db: Db,
  of: { readonly projectId: number; readonly pipelineId: number; readonly notIn: number | null },
  limit: number,
): Promise<{ rows: ListedFinding[]; total: number }> {
  const inPipeline = (id: number | null) => sql`exists (select from security_scan_findings sf
    join security_scans s on s.id = sf.scan_id where sf.finding_id = f.id and s.pipeline_id = ${id})`;
  const found = sql`
    from vulnerability_findings f left join vulnerabilities v on v.id = f.vulnerability_id
    where f.project_id = ${of.projectId} and ${inPipeline(of.pipelineId)} and not ${inPipeline(of.notIn)}
      and v.state is distinct from 'dismissed'`;
  const [{ rows }, counted] = await Promise.all([
    sql<ListedFinding>`
      select f.*, coalesce(v.state, 'detected') as state,
        (select jsonb_build_object('external_id', c.external_id, 'name', c.name, 'vendor', c.vendor)
          from security_scanners c where c.id = f.scanner_id) as scanner,
        (select coalesce(jsonb_agg(jsonb_build_object('external_type', i.external_type, 'external_id', i.external_id,
            'name', i.name, 'url', i.url) order by fi.position), '[]')
          from finding_identifiers fi join security_identifiers i on i.id = fi.identifier_id
          where fi.finding_id = f.id) as identifiers
      ${found}
      order by array_position(array['critical', 'high', 'medium', 'low', 'unknown', 'info'], f.severity), f.id
      limit ${limit}`.execute(db),
    sql<{ total: number }>`select count(*)::int as total ${found}`.execute(db),
  ]);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}
