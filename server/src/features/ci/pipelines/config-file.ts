/** Where a project's configuration is. */
import type { Project } from '../../../kernel/db/rows.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import type { CiDependencies } from '../deps.ts';

/** Bytes of one configuration file; the limit has this name in errors. */
export const maxConfigBytes = 1024 * 1024;

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** The file that the project names, else the first that exists; null when there is none. */
export async function findConfig(
  deps: Pick<CiDependencies, 'repository'>,
  project: Project,
  sha: string,
): Promise<ConfigFile | null> {
  const paths = project.ci_config_path ? [project.ci_config_path] : ciConfigPaths;
  for (const path of paths) {
    const text = await deps.repository.readText(project, sha, path, maxConfigBytes);
    if (text !== null) return { path, text };
  }
  return null;
}
