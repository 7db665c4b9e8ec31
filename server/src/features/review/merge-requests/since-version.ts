/** What changed in a merge request since one of its versions. */
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import type { MergeRequestDependencies } from './merge-requests.service.ts';
import { versions } from './versions.queries.ts';

/**
 * The files whose change is another one than in that version, as they differ between the two heads. What only the target
 * branch brought, by a rebase or a merge, is left out.
 */
export async function changesSince(
  {
    db,
    repository,
  }: Pick<MergeRequestDependencies, 'db'> & {
    readonly repository: Pick<MergeRequestDependencies['repository'], 'diff'>;
  },
  project: Project,
  row: Pick<MergeRequest, 'id' | 'base_sha' | 'head_sha'>,
  versionId: number,
  options: { readonly ignoreWhitespace?: boolean; readonly whole?: boolean },
) {
  const version = (await versions(db, row.id)).find(({ id }) => id === versionId);
  if (!version) throw notFound('Version');
  if (row.base_sha === null || row.head_sha === null) return { files: [], overflow: false };
  const [then, now, between] = await Promise.all([
    repository.diff(project, version.base_sha, version.head_sha, options),
    repository.diff(project, row.base_sha, row.head_sha, options),
    repository.diff(project, version.head_sha, row.head_sha, options),
  ]);
  const before = new Map(then.files.map((file) => [file.new_path, file.diff]));
  const after = new Map(now.files.map((file) => [file.new_path, file.diff]));
  const changed = (path: string) => before.get(path) !== after.get(path);
  return {
    ...between,
    files: between.files.filter(({ new_path, old_path }) => changed(new_path) || changed(old_path)),
  };
}
