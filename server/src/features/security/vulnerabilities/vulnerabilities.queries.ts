/** Rows of vulnerabilities and their findings. */
import { type Selectable, sql } from 'kysely';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { VulnerabilitiesTable, VulnerabilityFindingsTable } from '../../../kernel/db/tables.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';
import { abilityScope, below, withTables } from '../../namespaces/index.ts';
import type { Identifier } from '../reports/report.ts';

export type VulnerabilityRow = Selectable<VulnerabilitiesTable>;
export type FindingRow = Selectable<VulnerabilityFindingsTable>;

/** Whose vulnerabilities: those of one project, or of all below a group or of the instance that the caller may read. */
export type ReportPlace =
  | { readonly kind: 'project'; readonly id: number }
  | { readonly kind: 'group'; readonly id: number; readonly caller: Caller }
  | { readonly kind: 'instance'; readonly caller: Caller };

export interface VulnerabilityFilter {
  /** Of the projects that the place has. */
  readonly projectIds: readonly number[];
  readonly states: readonly string[];
  readonly severities: readonly string[];
  readonly reportTypes: readonly string[];
  readonly order: 'newest' | 'severity';
}

/** Projects that are archived or wait for their deletion are not in reports of groups and of the instance. */
function inPlace(place: ReportPlace) {
  if (place.kind === 'project') return sql<boolean>`project_id = ${place.id}`;
  const { tables, condition } = abilityScope(place.caller, 'read_vulnerability');
  const within = place.kind === 'group' ? sql`p.namespace_id in ${below(place.id)}` : sql`true`;
  return sql<boolean>`project_id in (${withTables(tables)} select p.id from projects p
    where ${within} and not p.archived and p.marked_for_deletion_on is null and ${condition})`;
}

const among = (column: string, words: readonly string[]) =>
  sql<boolean>`${sql.ref(column)} = any(${[...words]}::text[])`;

const vulnerabilitiesIn = (
  db: Db,
  place: ReportPlace,
  { projectIds, states, severities, reportTypes }: Omit<VulnerabilityFilter, 'order'>,
) =>
  db
    .selectFrom('vulnerabilities')
    .where(inPlace(place))
    .$if(projectIds.length > 0, (found) => found.where('project_id', 'in', [...projectIds]))
    .$if(states.length > 0, (found) => found.where(among('state', states)))
    .$if(severities.length > 0, (found) => found.where(among('severity', severities)))
    .$if(reportTypes.length > 0, (found) => found.where(among('report_type', reportTypes)));

/** The newest first, or the worst. */
export async function listVulnerabilities(
  db: Db,
  place: ReportPlace,
  filter: VulnerabilityFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: VulnerabilityRow[]; total: number }> {
  const query = vulnerabilitiesIn(db, place, filter);
  const worst = sql`array_position(array['critical', 'high', 'medium', 'low', 'unknown', 'info'], severity)`;
  const [rows, total] = await Promise.all([
    query
      .selectAll()
      .$if(filter.order === 'severity', (found) => found.orderBy(worst))
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    countUpTo(db, query.select('id')),
  ]);
  return { rows, total };
}

export interface ReportedVulnerability {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: string;
  readonly severity: string;
  readonly report_type: string;
  readonly created_at: Date;
  readonly group_name: string;
  readonly project_name: string;
  readonly scanner: string | null;
  readonly location: unknown;
  readonly identifiers: readonly Pick<Identifier, 'external_type' | 'name'>[];
}

/** A batch for files, the newest first; those with smaller ids than `before`. */
export async function reportedVulnerabilities(
  db: Db,
  place: ReportPlace,
  filter: Omit<VulnerabilityFilter, 'order'>,
  before: number | null,
  limit: number,
): Promise<ReportedVulnerability[]> {
  const found = vulnerabilitiesIn(db, place, filter)
    .selectAll()
    .$if(before !== null, (query) => query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit);
  const { rows } = await sql<ReportedVulnerability>`
    select v.id, v.title, v.description, v.state, v.severity, v.report_type, v.created_at,
      n.full_name as group_name, p.name as project_name, c.name as scanner, f.location,
      (select coalesce(jsonb_agg(jsonb_build_object('external_type', i.external_type, 'name', i.name) order by fi.position), '[]')
        from finding_identifiers fi join security_identifiers i on i.id = fi.identifier_id
        where fi.finding_id = f.id) as identifiers
    from (${found}) v join projects p on p.id = v.project_id join namespaces n on n.id = p.namespace_id
      left join lateral (select * from vulnerability_findings where vulnerability_id = v.id order by id limit 1) f on true
      left join security_scanners c on c.id = f.scanner_id
    order by v.id desc`.execute(db);
  return rows;
}

export async function findVulnerability(db: Db, id: number): Promise<VulnerabilityRow | undefined> {
  return await db.selectFrom('vulnerabilities').selectAll().where('id', '=', id).executeTakeFirst();
}

/** What vulnerabilities were made of, by their ids. */
export async function findingsOf(db: Db, vulnerabilityIds: readonly number[]): Promise<Map<number, FindingRow>> {
  if (vulnerabilityIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('vulnerability_findings')
    .selectAll()
    .where('vulnerability_id', 'in', [...vulnerabilityIds])
    .execute();
  return new Map(rows.map((row) => [row.vulnerability_id as number, row]));
}

/** A finding of the project that no vulnerability has, by its id or UUID; nobody else takes it before the transaction ends. */
export async function lockFreeFinding(tx: Db, projectId: number, idOrUuid: string): Promise<FindingRow | undefined> {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrUuid);
  if (!uuid && !/^\d{1,15}$/.test(idOrUuid)) return undefined;
  return await tx
    .selectFrom('vulnerability_findings')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('vulnerability_id', 'is', null)
    .where((where) => (uuid ? where('uuid', '=', idOrUuid.toLowerCase()) : where('id', '=', Number(idOrUuid))))
    .forUpdate()
    .executeTakeFirst();
}

export async function createFrom(tx: Db, finding: FindingRow, authorId: number | null): Promise<VulnerabilityRow> {
  const row = await tx
    .insertInto('vulnerabilities')
    .values({
      project_id: finding.project_id,
      author_id: authorId,
      title: finding.name,
      description: finding.description,
      state: 'opened',
      severity: finding.severity,
      confidence: finding.confidence,
      report_type: finding.report_type,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('vulnerability_findings')
    .set({ vulnerability_id: row.id, updated_at: sql`now()` })
    .where('id', '=', finding.id)
    .execute();
  return row;
}

export type DecidedState = 'confirmed' | 'resolved' | 'dismissed' | 'detected';

/** The row in its new state; undefined where it has that state already. What was decided before no longer holds. */
export async function setState(
  tx: Db,
  id: number,
  state: DecidedState,
  userId: number | null,
): Promise<VulnerabilityRow | undefined> {
  const decided = (of: DecidedState) => ({
    at: of === state ? sql<Date>`now()` : null,
    by: of === state ? userId : null,
  });
  const [confirmed, resolved, dismissed] = [decided('confirmed'), decided('resolved'), decided('dismissed')];
  return await tx
    .updateTable('vulnerabilities')
    .set({
      state,
      confirmed_at: confirmed.at,
      confirmed_by_id: confirmed.by,
      resolved_at: resolved.at,
      resolved_by_id: resolved.by,
      dismissed_at: dismissed.at,
      dismissed_by_id: dismissed.by,
      updated_by_id: userId,
      updated_at: sql`now()`,
    })
    .where('id', '=', id)
    .where('state', '<>', state)
    .returningAll()
    .executeTakeFirst();
}

export interface FindingFilter {
  readonly projectId: number;
  readonly pipelineId: number;
  readonly reportTypes: readonly string[];
  readonly severities: readonly string[];
  readonly confidences: readonly string[];
  /** Whether dismissed ones are among them. */
  readonly all: boolean;
}

export interface ListedFinding extends FindingRow {
  readonly scanner: { readonly external_id: string; readonly name: string; readonly vendor: string | null };
  readonly identifiers: readonly Identifier[];
  readonly state: string;
}

/** The latest pipeline of the default branch that has reports. */
export async function latestScannedPipeline(db: Db, projectId: number): Promise<number | null> {
  const { rows } = await sql<{ id: number }>`
    select s.pipeline_id as id from security_scans s
    join pipelines p on p.id = s.pipeline_id join projects r on r.id = p.project_id
    where s.project_id = ${projectId} and p.ref = r.default_branch and not p.tag
    order by s.pipeline_id desc limit 1`.execute(db);
  return rows[0]?.id ?? null;
}

/** The worst first. */
export async function listFindings(
  db: Db,
  filter: FindingFilter,
  page: Pick<Page, 'limit' | 'offset'>,
): Promise<{ rows: ListedFinding[]; total: number }> {
  const among = (column: string, words: readonly string[]) =>
    words.length === 0 ? sql`true` : sql`${sql.ref(column)} = any(${[...words]}::text[])`;
  const found = sql`
    from vulnerability_findings f
    left join vulnerabilities v on v.id = f.vulnerability_id
    where f.project_id = ${filter.projectId}
      and exists (select 1 from security_scan_findings sf join security_scans s on s.id = sf.scan_id
        where sf.finding_id = f.id and s.pipeline_id = ${filter.pipelineId})
      and ${among('f.report_type', filter.reportTypes)} and ${among('f.severity', filter.severities)}
      and ${among('f.confidence', filter.confidences)}
      and ${filter.all ? sql`true` : sql`v.state is distinct from 'dismissed'`}`;
  const [{ rows }, total] = await Promise.all([
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
      limit ${page.limit} offset ${page.offset}`.execute(db),
    countUpTo(db, { limit: (limit: number) => sql`select f.id ${found} limit ${limit}` }),
  ]);
  return { rows, total };
}
