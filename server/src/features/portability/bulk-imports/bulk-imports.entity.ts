/** Transfers as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import type { Failure } from '../project-archives/transfers.queries.ts';
import { type BulkImportRow, type ListedEntity, transferStatuses } from './bulk-imports.queries.ts';

export const BulkImport = Entity('BulkImport', {
  id: Id(),
  status: Word(transferStatuses),
  source_type: Word(['gitlab']),
  source_url: Text({ description: 'The instance that it comes from' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  has_failures: Flag({ description: 'Whether something was left out' }),
});

export const bulkImportJson = (row: BulkImportRow): Static<typeof BulkImport> => ({
  id: row.id,
  status: row.status,
  source_type: 'gitlab',
  source_url: row.url,
  created_at: row.created_at,
  updated_at: row.updated_at,
  has_failures: row.has_failures,
});

const failure = {
  relation: Text(),
  exception_message: Text({ description: 'Why it was left out' }),
  exception_class: Text(),
  correlation_id_value: Nullable(Text()),
  source_url: Nullable(Text()),
  source_title: Nullable(Text({ description: 'Number of the row' })),
};
export const BulkImportFailure = Entity('BulkImportFailure', failure);

export const BulkImportEntity = Entity('BulkImportEntity', {
  id: Id(),
  bulk_import_id: Id(),
  status: Word(transferStatuses),
  entity_type: Word(['group', 'project']),
  source_full_path: Text(),
  destination_full_path: Text(),
  destination_name: Nullable(Text()),
  destination_slug: Text(),
  destination_namespace: Text({ description: 'Empty for a top-level group' }),
  parent_id: Nullable(Id()),
  namespace_id: Nullable(Id()),
  project_id: Nullable(Id()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  failures: ListOf(Fields(failure), { description: 'At most 100' }),
  migrate_projects: Flag(),
  migrate_memberships: Flag(),
  has_failures: Flag(),
  stats: MapOf(Fields({ source: Count(), fetched: Count(), imported: Count() }), {
    description: 'Rows so far, by relation',
  }),
});

type Counts = Record<string, number>;
/** Both parts of an import have them in the same form. */
const countsOf = (value: unknown): { fetched: Counts; imported: Counts } => {
  const { fetched = {}, imported = {} } = (value ?? {}) as { fetched?: Counts; imported?: Counts };
  return { fetched, imported };
};

export function failuresOf(row: ListedEntity): Static<typeof BulkImportFailure>[] {
  const own = row.failures as unknown as readonly Failure[];
  const ofProject = (row.project_failures ?? []) as readonly Failure[];
  const whole: readonly Failure[] = row.project_error
    ? [{ relation: 'project', line: 0, reason: row.project_error }]
    : [];
  return [...own, ...whole, ...ofProject].map(({ relation, line, reason }) => ({
    relation,
    exception_message: reason,
    exception_class: 'RowRefused',
    correlation_id_value: null,
    source_url: `${row.url}/${row.source_full_path}`,
    source_title: line === 0 ? null : String(line),
  }));
}

export function bulkImportEntityJson(row: ListedEntity): Static<typeof BulkImportEntity> {
  const { fetched, imported } = countsOf(row.source_type === 'project' ? row.project_stats : row.stats);
  const failures = failuresOf(row);
  return {
    id: row.id,
    bulk_import_id: row.bulk_import_id,
    status: row.status,
    entity_type: row.source_type,
    source_full_path: row.source_full_path,
    destination_full_path: [row.destination_namespace, row.destination_slug].filter((each) => each !== '').join('/'),
    destination_name: row.destination_name,
    destination_slug: row.destination_slug,
    destination_namespace: row.destination_namespace,
    parent_id: row.parent_id,
    namespace_id: row.namespace_id,
    project_id: row.project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    failures: failures.slice(0, 100),
    migrate_projects: row.migrate_projects,
    migrate_memberships: row.migrate_memberships,
    has_failures: failures.length > 0,
    stats: Object.fromEntries(
      Object.entries(fetched).map(([relation, count]) => [
        relation,
        { source: count, fetched: count, imported: imported[relation] ?? 0 },
      ]),
    ),
  };
}
