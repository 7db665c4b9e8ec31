/** Where a project that is being imported comes from. */
import type { Db } from '../../../kernel/db/index.ts';

/** What its issues, merge requests and comments say of where they come from. */
export async function importedFrom(tx: Db, projectId: number): Promise<string> {
  const { import_type } = await tx
    .selectFrom('projects')
    .select('import_type')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
  return import_type ?? 'none';
}
