/** Vulnerabilities as CSV: one line each, the newest first, read in batches while the file is sent. */
import { csvLine, inert } from '../../../kernel/csv.ts';
import type { Db } from '../../../kernel/db/index.ts';
import {
  type ReportedVulnerability,
  type ReportPlace,
  reportedVulnerabilities,
  type VulnerabilityFilter,
} from './vulnerabilities.queries.ts';

const batch = 500;

type Json = Readonly<Record<string, unknown>>;
type Column = readonly [name: string, value: (row: ReportedVulnerability) => string];

const identified = (type: 'cve' | 'cwe') => (row: ReportedVulnerability) =>
  row.identifiers
    .filter(({ external_type: each }) => each.toLowerCase() === type)
    .map(({ name }) => name)
    .join('; ');
const others = (row: ReportedVulnerability) =>
  row.identifiers
    .filter(({ external_type: type }) => !['cve', 'cwe'].includes(type.toLowerCase()))
    .map(({ name }) => name)
    .join('; ');
const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** File and line, image, path of a page, or package: whatever the kind of report says. */
function locationOf({ location }: ReportedVulnerability): string {
  const { file, start_line: line, image, path, dependency } = (location ?? {}) as Json;
  const named = (dependency as { package?: { name?: unknown } } | undefined)?.package?.name;
  const place = text(file) || text(image) || text(path);
  return [place && line !== undefined ? `${place}:${text(line)}` : place, text(named)].filter(Boolean).join(' ');
}

/** Names as programs of the ecosystem know them. What people and scanners wrote is inert. */
const columns: readonly Column[] = [
  ['Group Name', (row) => inert(row.group_name)],
  ['Project Name', (row) => inert(row.project_name)],
  ['Tool', (row) => row.report_type],
  ['Scanner Name', (row) => inert(row.scanner ?? '')],
  ['Status', (row) => row.state],
  ['Vulnerability', (row) => inert(row.title)],
  ['Details', (row) => inert(row.description ?? '')],
  ['Severity', (row) => row.severity],
  ['CVE', (row) => inert(identified('cve')(row))],
  ['CWE', (row) => inert(identified('cwe')(row))],
  ['Other Identifiers', (row) => inert(others(row))],
  ['Detected At', (row) => row.created_at.toISOString()],
  ['Location', (row) => inert(locationOf(row))],
  ['ID', (row) => String(row.id)],
];

export async function* reportFile(
  db: Db,
  place: ReportPlace,
  filter: Omit<VulnerabilityFilter, 'order'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
  for (let before: number | null = null; ; ) {
    signal.throwIfAborted();
    const rows: ReportedVulnerability[] = await reportedVulnerabilities(db, place, filter, before, batch);
    yield rows.map((row) => csvLine(columns.map(([, value]) => value(row)))).join('');
    const last = rows.at(-1);
    if (!last || rows.length < batch) return;
    before = last.id;
  }
}
