/** Which directories of a storage belong to somebody. */
import type { Db } from '../../../kernel/db/index.ts';

/** Those of the paths that a project, wiki or snippet names. */
export async function knownPaths(db: Db, storage: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const of = (table: 'projects' | 'wikis' | 'snippets') =>
    db
      .selectFrom(table)
      .select('repository_path')
      .where('repository_storage', '=', storage)
      .where('repository_path', 'in', paths)
      .execute();
  const rows = await Promise.all([of('projects'), of('wikis'), of('snippets')]);
  return new Set(rows.flat().map(({ repository_path: path }) => path));
}
