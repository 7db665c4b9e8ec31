/** Which directories of a storage belong to somebody. */
import type { Db } from '../../../kernel/db/index.ts';

/** Those of the paths that a project or wiki names. */
export async function knownPaths(db: Db, storage: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const of = (table: 'projects' | 'wikis') =>
    db
      .selectFrom(table)
      .select('repository_path')
      .where('repository_storage', '=', storage)
      .where('repository_path', 'in', paths)
      .execute();
  const rows = await Promise.all([of('projects'), of('wikis')]);
  return new Set(rows.flat().map(({ repository_path: path }) => path));
}
