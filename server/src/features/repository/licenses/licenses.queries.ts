/** What is kept of the licence of a project. */
import type { Db } from '../../../kernel/db/index.ts';

export interface KeptLicense {
  /** The commit that was looked at; null for a repository without one. */
  readonly commit: string | null;
  readonly path: string | null;
  /** Null where no file was found; `other` for terms that are not known. */
  readonly key: string | null;
}

export async function keepLicense(db: Db, projectId: number, { commit, path, key }: KeptLicense): Promise<void> {
  await db
    .updateTable('projects')
    .set({ license_commit: commit, license_path: path, license_key: key })
    .where('id', '=', projectId)
    .execute();
}
