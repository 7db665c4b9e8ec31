/** Findings of scanners and what people made of them, as archives of projects hold them. */
import { type Insertable, sql } from 'kysely';
import { type Db, recordset } from '../../../kernel/db/index.ts';
import type { VulnerabilitiesTable } from '../../../kernel/db/tables.ts';

const batch = 200;

/** In batches, the oldest first. */
export async function* archivedFindingsOf(db: Db, projectId: number): AsyncGenerator<object[]> {
  const name = (column: string) => sql`(select username from users where id = v.${sql.ref(column)})`;
  for (let after = 0; ; ) {
    const { rows } = await sql<{ id: number }>`
      select f.id, f.report_type, f.name, f.description, f.solution, f.severity, f.confidence, f.location, f.links,
        f.location_fingerprint, f.project_fingerprint, f.metadata_version, f.raw_metadata, f.created_at, f.updated_at,
        (select jsonb_build_object('external_id', s.external_id, 'name', s.name, 'vendor', s.vendor)
          from security_scanners s where s.id = f.scanner_id) as scanner,
        (select jsonb_agg(jsonb_build_object('external_type', i.external_type, 'external_id', i.external_id,
            'name', i.name, 'url', i.url) order by i.id <> f.primary_identifier_id, k.position)
          from finding_identifiers k join security_identifiers i on i.id = k.identifier_id
          where k.finding_id = f.id) as identifiers,
        case when v.id is null then null else to_jsonb(v) - 'id' - 'project_id' - 'author_id' - 'confirmed_by_id'
          - 'resolved_by_id' - 'dismissed_by_id' - 'last_edited_by_id' - 'updated_by_id' - 'report_type'
          || jsonb_build_object('author', ${name('author_id')}, 'confirmed_by', ${name('confirmed_by_id')},
            'resolved_by', ${name('resolved_by_id')}, 'dismissed_by', ${name('dismissed_by_id')},
            'last_edited_by', ${name('last_edited_by_id')}, 'updated_by', ${name('updated_by_id')},
            'issue_links', (select coalesce(jsonb_agg(jsonb_build_object('issue', i.iid, 'link_type', l.link_type,
                'created_at', l.created_at) order by l.id), '[]')
              from vulnerability_issue_links l join issues i on i.id = l.issue_id and i.project_id = v.project_id
              where l.vulnerability_id = v.id)) end as vulnerability
      from vulnerability_findings f left join vulnerabilities v on v.id = f.vulnerability_id
      where f.project_id = ${projectId} and f.id > ${after} order by f.id limit ${batch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ id: _, ...row }) => row);
    after = last.id;
  }
}

export interface ArchivedIssueLink {
  /** Number within the project. */
  readonly issue: number;
  readonly link_type: 'related' | 'created';
  readonly created_at: Date;
}

export async function insertArchivedVulnerability(
  tx: Db,
  findingId: number,
  row: Insertable<VulnerabilitiesTable>,
  links: readonly ArchivedIssueLink[],
): Promise<void> {
  const { id } = await tx.insertInto('vulnerabilities').values(row).returning('id').executeTakeFirstOrThrow();
  await tx.updateTable('vulnerability_findings').set({ vulnerability_id: id }).where('id', '=', findingId).execute();
  if (links.length === 0) return;
  // Those whose issue the archive does not have are left out, and so is what repeats another.
  await sql`insert into vulnerability_issue_links (vulnerability_id, issue_id, link_type, created_at, updated_at)
    select ${id}, i.id, l.link_type, l.created_at, l.created_at
    from jsonb_to_recordset(${recordset(links)}::jsonb) as l (issue bigint, link_type text, created_at timestamptz(3))
    join issues i on i.project_id = ${row.project_id} and i.iid = l.issue
    on conflict do nothing`.execute(tx);
}

/** When a finding was first and last reported. */
export async function setFindingTimes(
  tx: Db,
  id: number,
  times: { readonly created_at: Date; readonly updated_at: Date },
): Promise<void> {
  await tx.updateTable('vulnerability_findings').set(times).where('id', '=', id).execute();
}

/** With scanners and identifiers, which nothing else of a new project has. */
export async function removeFindings(tx: Db, projectId: number): Promise<void> {
  await tx.deleteFrom('vulnerability_findings').where('project_id', '=', projectId).execute();
  await tx.deleteFrom('vulnerabilities').where('project_id', '=', projectId).execute();
  await tx.deleteFrom('security_identifiers').where('project_id', '=', projectId).execute();
  await tx.deleteFrom('security_scanners').where('project_id', '=', projectId).execute();
}
