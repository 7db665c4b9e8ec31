/** SQL of the versions of a merge request's changes. */
import type { Selectable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequestVersionsTable } from '../../../kernel/db/tables.ts';

export async function insertVersion(
  tx: Db,
  values: { id: number; headSha: string; baseSha: string; startSha: string },
): Promise<void> {
  await tx
    .insertInto('merge_request_versions')
    .values({
      merge_request_id: values.id,
      head_sha: values.headSha,
      base_sha: values.baseSha,
      start_sha: values.startSha,
    })
    .execute();
}

export async function versions(db: Db, id: number): Promise<Selectable<MergeRequestVersionsTable>[]> {
  return db
    .selectFrom('merge_request_versions')
    .selectAll()
    .where('merge_request_id', '=', id)
    .orderBy('id', 'desc')
    .execute();
}
