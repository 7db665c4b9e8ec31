/** Where a project's configuration is. */
import type { Project } from '../../../kernel/db/rows.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import type { CiDependencies } from '../deps.ts';

/** Read at least this far, so that the compiler can say by how much a file is too large. */
const maxConfigBytes = 1024 * 1024;

/** How many bytes of a configuration file are read. */
export const readableConfigBytes = ({ max_yaml_size_bytes }: Pick<ApplicationSettings, 'max_yaml_size_bytes'>) =>
  Math.max(maxConfigBytes, max_yaml_size_bytes);

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** The file that the project names, else the first that exists; null when there is none. */
export async function findConfig(
  deps: Pick<CiDependencies, 'repository' | 'settings'>,
  project: Project,
  sha: string,
): Promise<ConfigFile | null> {
  const paths = project.ci_config_path ? [project.ci_config_path] : ciConfigPaths;
  const bytes = readableConfigBytes(await deps.settings.read());
  for (const path of paths) {
    const text = await deps.repository.readText(project, sha, path, bytes);
    if (text !== null) return { path, text };
  }
  return null;
}
