/** An import in a list, with how far it is. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Fields,
  Id,
  ListOf,
  MapOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { importStatuses, type ListedImport } from './import-list.queries.ts';

export const ImportListed = Entity('ImportListed', {
  project_id: Id(),
  name: Text({ description: 'Of the project' }),
  path_with_namespace: Text(),
  import_type: Nullable(Text({ description: 'Where it comes from, as in `import_sources`' })),
  import_source: Nullable(Text({ description: 'What the repository is called there' })),
  import_status: Word(importStatuses),
  import_error: Nullable(Text({ description: 'Why it failed' })),
  stages: ListOf(Text(), { description: 'Parts of the import, in their order; empty before it starts' }),
  finished_stages: ListOf(Text(), { description: 'Those that are done' }),
  stats: Fields({
    fetched: MapOf(Count(), { description: 'Rows that were read so far, by relation' }),
    imported: MapOf(Count(), { description: 'Rows that came in so far' }),
  }),
  failures_count: Count({ description: 'Rows that were left out and are told one by one, at most 100' }),
  username: Nullable(Text({ description: 'Who asked for it' })),
  created_at: Timestamp(),
  finished_at: Nullable(Timestamp()),
});

export function importListedJson(row: ListedImport): Static<typeof ImportListed> {
  const stats = row.stats as { fetched?: Record<string, number>; imported?: Record<string, number> };
  return {
    project_id: row.project_id,
    name: row.name,
    path_with_namespace: row.path_with_namespace,
    import_type: row.import_type,
    import_source: row.source,
    import_status: row.import_status,
    import_error: row.import_error,
    stages: [...row.stages],
    finished_stages: [...row.done_stages],
    stats: { fetched: stats.fetched ?? {}, imported: stats.imported ?? {} },
    failures_count: row.failures,
    username: row.username,
    created_at: row.created_at,
    finished_at: row.finished_at,
  };
}
