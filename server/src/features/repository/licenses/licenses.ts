/** The licence of a project: looked for once for each commit that its default branch had. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Project } from '../../../kernel/db/rows.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { licenses } from '../templates/licenses.data.ts';
import { keepLicense } from './licenses.queries.ts';
import { licenseFile, longestLicense, recognise } from './recognise.ts';

export interface ProjectLicense {
  /** Path of the file. */
  readonly path: string;
  readonly key: string;
  readonly name: string;
  readonly nickname: string | null;
  readonly htmlUrl: string | null;
  readonly sourceUrl: string | null;
}

function described(path: string | null, key: string | null): ProjectLicense | null {
  if (path === null || key === null) return null;
  const known = licenses.find((license) => license.key === key);
  if (!known) return { path, key: 'other', name: 'Other', nickname: null, htmlUrl: null, sourceUrl: null };
  const { name, nickname, source } = known;
  return { path, key, name, nickname, htmlUrl: explains(key), sourceUrl: source };
}

/** A page that explains a licence. */
const explains = (key: string) => `https://choosealicense.com/licenses/${key}/`;

export function projectLicenses(deps: { readonly db: Db; readonly reader: RepositoryReader }) {
  const { db, reader } = deps;

  async function look(project: Project, head: string): Promise<{ path: string | null; key: string | null }> {
    const entries = (await reader.tree(project, head, '', false)) ?? [];
    const files = entries.filter(({ type, mode }) => type === 'blob' && mode !== '120000').map(({ name }) => name);
    const path = licenseFile(files);
    const blob = path === null ? null : await reader.blob(project, head, path);
    if (path === null || !blob) return { path: null, key: null };
    const content = await reader.blobContent(project, blob.id, longestLicense);
    const found = content ? await recognise(content.toString('utf8')) : null;
    return { path, key: found?.key ?? 'other' };
  }

  return {
    /** Of the default branch as it is now; null without a file that says so. */
    async of(project: Project): Promise<ProjectLicense | null> {
      const branch = project.default_branch;
      if (project.refs_generation === 0 || branch === null) return null;
      const head = await reader.resolve(project, `refs/heads/${branch}`);
      if (head === project.license_commit) return described(project.license_path, project.license_key);
      const found = head === null ? { path: null, key: null } : await look(project, head);
      await keepLicense(db, project.id, { commit: head, ...found });
      return described(found.path, found.key);
    },
  };
}
export type ProjectLicenses = ReturnType<typeof projectLicenses>;
