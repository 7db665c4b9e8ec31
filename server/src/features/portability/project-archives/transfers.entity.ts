/** Exports and imports as JSON. */
import type { Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import {
  Count,
  Entity,
  Fields,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { type ExportStatus, exportStatus } from './exports.ts';
import type { ExportRow, Failure, ImportRow } from './transfers.queries.ts';

const identity = {
  id: Id(),
  description: Text(),
  name: Text(),
  name_with_namespace: Text(),
  path: Text(),
  path_with_namespace: Text(),
  created_at: Timestamp(),
};

function identityOf({ project, namespace }: ProjectSubject) {
  return {
    id: project.id,
    description: project.description ?? '',
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: `${namespace.full_path}/${project.path}`,
    created_at: project.created_at,
  };
}

const statuses: readonly ExportStatus[] = ['none', 'queued', 'started', 'finished', 'regeneration_in_progress'];

export const ProjectExport = Entity('ProjectExport', {
  ...identity,
  export_status: Word(statuses, {
    description: '`regeneration_in_progress`: a new archive is being made, the one before can be fetched',
  }),
  message: Sometimes(Text({ description: 'What went wrong the last time' })),
  _links: Sometimes(
    Fields(
      { api_url: Text({ description: 'Where the archive is fetched' }), web_url: Text() },
      { description: 'While there is an archive' },
    ),
  ),
});

export function exportJson(
  subject: ProjectSubject,
  row: ExportRow | null,
  externalUrl: string,
): Static<typeof ProjectExport> {
  const self = identityOf(subject);
  return {
    ...self,
    export_status: exportStatus(row),
    ...(row?.error ? { message: row.error } : {}),
    ...(row?.object_key
      ? {
          _links: {
            api_url: `${externalUrl}/api/v4/projects/${self.id}/export/download`,
            web_url: `${externalUrl}/${self.path_with_namespace}/-/settings`,
          },
        }
      : {}),
  };
}

export const failedRelations = ListOf(
  Fields({
    id: Id(),
    created_at: Timestamp(),
    exception_class: Text(),
    exception_message: Text(),
    source: Text(),
    relation_name: Text(),
    line_number: Count(),
  }),
  { description: 'Rows that were left out, at most 100; for members who may change it' },
);
export const importStats = Nullable(
  Fields({
    fetched: MapOf(Count(), { description: 'Rows that were read so far, by relation' }),
    imported: MapOf(Count(), { description: 'Rows that came in' }),
  }),
);

export const ProjectImport = Entity('ProjectImport', {
  ...identity,
  import_status: Word(['none', 'scheduled', 'started', 'finished', 'failed', 'canceled']),
  import_type: Nullable(Text()),
  import_error: Nullable(Text({ description: 'Why it failed; for members who may change the project' })),
  correlation_id: Nullable(Text({ description: 'Names the import in logs' })),
  failed_relations: failedRelations,
  stats: importStats,
});

type Stats = Static<typeof importStats>;
/** None were kept of what failed. */
export function statsOf(row: Pick<ImportRow, 'stats'> | null | undefined): Stats {
  const stats = row?.stats as Partial<NonNullable<Stats>> | undefined;
  return stats?.fetched && stats.imported ? { fetched: stats.fetched, imported: stats.imported } : null;
}

export const failedRelationsJson = (failures: unknown, at: Date): Static<typeof failedRelations> =>
  ((failures ?? []) as readonly Failure[]).map(({ relation, line, reason }, index) => ({
    id: index + 1,
    created_at: at,
    exception_class: 'RowRefused',
    exception_message: reason,
    source: 'archive',
    relation_name: relation,
    line_number: line,
  }));

export function importJson(
  subject: ProjectSubject,
  row: ImportRow | null,
  maintainer: boolean,
): Static<typeof ProjectImport> {
  const { project } = subject;
  return {
    ...identityOf(subject),
    import_status: project.import_status,
    import_type: project.import_type,
    import_error: maintainer ? project.import_error : null,
    correlation_id: row?.correlation_id ?? null,
    failed_relations: maintainer ? failedRelationsJson(row?.failures, row?.finished_at ?? project.created_at) : [],
    stats: statsOf(row),
  };
}

export const CanceledImport = Entity('CanceledImport', {
  id: Id(),
  name: Text(),
  full_path: Text(),
  full_name: Text(),
  import_source: Nullable(Text()),
  import_status: Text(),
  human_import_status_name: Text(),
  provider_link: Nullable(Text()),
});

export function canceledJson(subject: ProjectSubject, row: ImportRow | null): Static<typeof CanceledImport> {
  const { id, name, path_with_namespace, name_with_namespace } = identityOf(subject);
  return {
    id,
    name,
    full_path: path_with_namespace,
    full_name: name_with_namespace,
    import_source: row?.source ?? null,
    import_status: 'canceled',
    human_import_status_name: 'canceled',
    provider_link: row?.source_path ?? null,
  };
}
