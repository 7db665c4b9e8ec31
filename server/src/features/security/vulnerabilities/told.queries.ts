/** Vulnerabilities as other servers are told of them. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Identifier } from '../reports/report.ts';
import { findVulnerability, type VulnerabilityRow } from './vulnerabilities.queries.ts';

export interface ToldVulnerability {
  readonly row: VulnerabilityRow;
  /** What it was made of, while that is there. */
  readonly finding: { readonly location: unknown; readonly identifiers: readonly Identifier[] } | null;
  /** Linked ones of the same project; confidential ones are nothing that every receiver may know. */
  readonly issues: readonly ToldIssue[];
}

interface ToldIssue {
  readonly iid: number;
  readonly title: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export async function toldVulnerability(db: Db, id: number): Promise<ToldVulnerability | null> {
  const row = await findVulnerability(db, id);
  if (!row) return null;
  const { rows } = await sql<NonNullable<ToldVulnerability['finding']>>`
    select f.location, (select coalesce(jsonb_agg(jsonb_build_object('external_type', i.external_type,
        'external_id', i.external_id, 'name', i.name, 'url', i.url) order by k.position), '[]')
      from finding_identifiers k join security_identifiers i on i.id = k.identifier_id
      where k.finding_id = f.id) as identifiers
    from vulnerability_findings f where f.vulnerability_id = ${id} order by f.id limit 1`.execute(db);
  const issues = await sql<ToldIssue>`
    select i.iid, i.title, i.created_at, i.updated_at
    from vulnerability_issue_links l join issues i on i.id = l.issue_id
    where l.vulnerability_id = ${id} and i.project_id = ${row.project_id} and not i.confidential
    order by l.id`.execute(db);
  return { row, finding: rows[0] ?? null, issues: issues.rows };
}

/** The newest of a project, to try a hook with. */
export async function newestVulnerability(db: Db, projectId: number): Promise<ToldVulnerability | null> {
  const row = await db
    .selectFrom('vulnerabilities')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ? await toldVulnerability(db, row.id) : null;
}
