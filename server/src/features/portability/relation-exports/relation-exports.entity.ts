/** Exports of relations as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Fields,
  Flag,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import type { BatchRow, RelationExportRow } from './relation-exports.queries.ts';

const status = Count({ description: '`0`: started, `1`: finished, `-1`: failed' });
const error = Nullable(Text({ description: 'Why it failed' }));

export const RelationExport = Entity('RelationExport', {
  relation: Text(),
  status,
  error,
  updated_at: Timestamp(),
  batched: Flag({ description: 'Whether it is in several files' }),
  batches: Sometimes(
    ListOf(Fields({ status, batch_number: Count(), objects_count: Count(), error, updated_at: Timestamp() }), {
      description: 'Where it is batched',
    }),
  ),
});

export function relationExportJson(
  row: RelationExportRow,
  batches: readonly BatchRow[],
): Static<typeof RelationExport> {
  return {
    relation: row.relation,
    status: row.status,
    error: row.error,
    updated_at: row.updated_at,
    batched: row.batched,
    ...(row.batched
      ? {
          batches: batches.map((batch) => ({
            status: batch.status,
            batch_number: batch.batch_number,
            objects_count: batch.objects_count,
            error: batch.error,
            updated_at: batch.updated_at,
          })),
        }
      : {}),
  };
}
