/** Vulnerabilities and findings as the API shows them. */
import type { Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import {
  AnyJson,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { severities } from '../reports/report.ts';
import type { FindingRow, ListedFinding, VulnerabilityRow } from './vulnerabilities.queries.ts';

const vulnerabilityStates = ['opened', 'detected', 'confirmed', 'resolved', 'dismissed'] as const;

const severity = Word(severities, { description: 'How bad it is' });
const confidence = Text({ description: 'How sure the scanner is' });
const report_type = Text({ description: 'Kind of the report that it comes from, for instance `sast`' });

const Finding = Fields({
  id: Id(),
  name: Text(),
  confidence,
  severity,
  report_type,
  scanner_id: Id(),
  primary_identifier_id: Id(),
  project_id: Id(),
  vulnerability_id: Nullable(Id()),
  location_fingerprint: Text({ description: 'The same for the same place' }),
  project_fingerprint: Text({ description: 'The same for the same weakness at the same place' }),
  metadata_version: Text({ description: 'Version of the format of the report' }),
  raw_metadata: Text({ description: 'JSON, as the scanner wrote it' }),
  uuid: Text(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

export const VulnerabilityEntity = Entity('Vulnerability', {
  id: Id(),
  author_id: Nullable(Id()),
  confidence,
  severity,
  state: Word(vulnerabilityStates),
  title: Text(),
  description: Nullable(Text()),
  report_type,
  project_default_branch: Nullable(Text()),
  resolved_on_default_branch: Flag({ description: 'Whether the default branch no longer has it' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  start_date: Nullable(Day()),
  due_date: Nullable(Day()),
  confirmed_at: Nullable(Timestamp()),
  dismissed_at: Nullable(Timestamp()),
  resolved_at: Nullable(Timestamp()),
  last_edited_at: Nullable(Timestamp()),
  confirmed_by_id: Nullable(Id()),
  dismissed_by_id: Nullable(Id()),
  resolved_by_id: Nullable(Id()),
  last_edited_by_id: Nullable(Id()),
  updated_by_id: Nullable(Id()),
  project: Fields({
    id: Id(),
    name: Text(),
    name_with_namespace: Text(),
    path: Text(),
    path_with_namespace: Text(),
    description: Nullable(Text()),
    created_at: Timestamp(),
  }),
  finding: Nullable(Finding, { description: 'What it was made of' }),
});

function findingJson(row: FindingRow): Static<typeof Finding> {
  return {
    id: row.id,
    name: row.name,
    confidence: row.confidence,
    severity: row.severity as (typeof severities)[number],
    report_type: row.report_type,
    scanner_id: row.scanner_id,
    primary_identifier_id: row.primary_identifier_id,
    project_id: row.project_id,
    vulnerability_id: row.vulnerability_id,
    location_fingerprint: row.location_fingerprint,
    project_fingerprint: row.project_fingerprint,
    metadata_version: row.metadata_version,
    raw_metadata: row.raw_metadata,
    uuid: row.uuid,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export function vulnerabilityJson(
  row: VulnerabilityRow,
  finding: FindingRow | undefined,
  { project, namespace }: Pick<ProjectSubject, 'project' | 'namespace'>,
): Static<typeof VulnerabilityEntity> {
  return {
    id: row.id,
    author_id: row.author_id,
    confidence: row.confidence,
    severity: row.severity as (typeof severities)[number],
    state: row.state as (typeof vulnerabilityStates)[number],
    title: row.title,
    description: row.description,
    report_type: row.report_type,
    project_default_branch: project.default_branch,
    resolved_on_default_branch: row.resolved_on_default_branch,
    created_at: row.created_at,
    updated_at: row.updated_at,
    start_date: row.start_date,
    due_date: row.due_date,
    confirmed_at: row.confirmed_at,
    dismissed_at: row.dismissed_at,
    resolved_at: row.resolved_at,
    last_edited_at: row.last_edited_at,
    confirmed_by_id: row.confirmed_by_id,
    dismissed_by_id: row.dismissed_by_id,
    resolved_by_id: row.resolved_by_id,
    last_edited_by_id: row.last_edited_by_id,
    updated_by_id: row.updated_by_id,
    project: {
      id: project.id,
      name: project.name,
      name_with_namespace: `${namespace.full_name} / ${project.name}`,
      path: project.path,
      path_with_namespace: `${namespace.full_path}/${project.path}`,
      description: project.description,
      created_at: project.created_at,
    },
    finding: finding ? findingJson(finding) : null,
  };
}

export const ListedFindingEntity = Entity('VulnerabilityFinding', {
  id: Id(),
  report_type,
  name: Text(),
  severity,
  confidence,
  scanner: Fields({ external_id: Text(), name: Text(), vendor: Nullable(Text()) }),
  identifiers: ListOf(Fields({ external_type: Text(), external_id: Text(), name: Text(), url: Nullable(Text()) })),
  project_fingerprint: Text(),
  uuid: Text(),
  project: Fields({ id: Id(), name: Text(), full_path: Text(), full_name: Text() }),
  vulnerability_id: Nullable(Id()),
  state: Word(vulnerabilityStates, { description: '`detected` while nobody has made a vulnerability of it' }),
  description: Nullable(Text()),
  links: ListOf(Fields({ name: Nullable(Text()), url: Text() })),
  location: AnyJson({ description: 'Where it is; its keys depend on the kind of report' }),
  solution: Nullable(Text()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});

export function listedFindingJson(
  row: ListedFinding,
  { project, namespace }: Pick<ProjectSubject, 'project' | 'namespace'>,
): Static<typeof ListedFindingEntity> {
  return {
    id: row.id,
    report_type: row.report_type,
    name: row.name,
    severity: row.severity as (typeof severities)[number],
    confidence: row.confidence,
    scanner: row.scanner,
    identifiers: [...row.identifiers],
    project_fingerprint: row.project_fingerprint,
    uuid: row.uuid,
    project: {
      id: project.id,
      name: project.name,
      full_path: `/${namespace.full_path}/${project.path}`,
      full_name: `${namespace.full_name} / ${project.name}`,
    },
    vulnerability_id: row.vulnerability_id,
    state: row.state as (typeof vulnerabilityStates)[number],
    description: row.description,
    links: row.links as unknown as { name: string | null; url: string }[],
    location: row.location,
    solution: row.solution,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
