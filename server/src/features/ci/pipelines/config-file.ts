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
  /** How large it is, where it is too large to be read; the text is empty. */
  readonly bytes?: number;
  /** It is somewhere else, as `include` says it; the text is empty. */
  readonly elsewhere?: Readonly<Record<string, string>>;
}

/** `ci.yml@group/project:ref` and addresses name no file of the repository. */
export function configElsewhere(path: string | null): ConfigFile['elsewhere'] {
  if (path === null) return undefined;
  if (/^https?:\/\//.test(path)) return { remote: path };
  const [, file = '', project = '', ref] = /^([^@]+ya?ml)@([^:]+)(?::(.+))?$/s.exec(path) ?? [];
  return file === '' ? undefined : { project, file, ...(ref === undefined ? {} : { ref }) };
}

/** A file of a configuration at a commit; null when there is none. */
export async function readConfigFile(
  { textOrSize }: Pick<CiDependencies['repository'], 'textOrSize'>,
  project: Project,
  sha: string,
  path: string,
  mostBytes: number,
): Promise<{ readonly content: string; readonly bytes?: number } | null> {
  const found = await textOrSize(project, sha, path, mostBytes);
  if (found === null) return null;
  return typeof found === 'string' ? { content: found } : { content: '', bytes: found };
}

/** The file that the project names, else the first that exists; null when there is none. */
export async function findConfig(
  deps: Pick<CiDependencies, 'repository' | 'settings'>,
  project: Project,
  sha: string,
): Promise<ConfigFile | null> {
  const elsewhere = configElsewhere(project.ci_config_path);
  if (project.ci_config_path && elsewhere) return { path: project.ci_config_path, text: '', elsewhere };
  const paths = project.ci_config_path ? [project.ci_config_path] : ciConfigPaths;
  const bytes = readableConfigBytes(await deps.settings.read());
  for (const path of paths) {
    const found = await readConfigFile(deps.repository, project, sha, path, bytes);
    if (found) {
      const { content: text, ...size } = found;
      return { path, text, ...size };
    }
  }
  return null;
}
