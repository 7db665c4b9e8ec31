/** Imports of groups as the API shows them. */
import type { Static } from 'typebox';
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import { Entity, Id, Nullable, Text, Word } from '../../../kernel/http/entity.ts';
import { failedRelations, failedRelationsJson, importStats, statsOf } from '../project-archives/transfers.entity.ts';
import type { GroupImportRow } from './group-transfers.queries.ts';

export const GroupImport = Entity('GroupImport', {
  id: Id(),
  name: Text(),
  full_path: Text(),
  import_status: Word(['none', 'scheduled', 'started', 'finished', 'failed']),
  import_error: Nullable(Text({ description: 'Why it failed' })),
  failed_relations: failedRelations,
  stats: importStats,
});

export const groupImportJson = (
  { group }: GroupSubject,
  row: GroupImportRow | undefined,
): Static<typeof GroupImport> => ({
  id: group.id,
  name: group.name,
  full_path: group.full_path,
  import_status: row?.state ?? 'none',
  import_error: row?.error ?? null,
  failed_relations: row ? failedRelationsJson(row.failures, row.finished_at ?? row.created_at) : [],
  stats: statsOf(row),
});
