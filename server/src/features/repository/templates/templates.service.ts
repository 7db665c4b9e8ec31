/** Templates of files: those of the product, those that groups and the instance keep in a project, those of a project itself. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { RepositoryAccess } from '../face.ts';
import type { RepositoryReader } from '../reading/reader.ts';
import { ciTemplates } from './ci.data.ts';
import { dockerfiles } from './dockerfiles.data.ts';
import { gitignores } from './gitignores.data.ts';
import { type License, licenses, licenseText } from './licenses.data.ts';
import { templateProjectsOf } from './templates.queries.ts';

const fileKinds = ['dockerfiles', 'gitignores', 'gitlab_ci_ymls', 'licenses'] as const;
type FileKind = (typeof fileKinds)[number];
export const templateKinds = [...fileKinds, 'issues', 'merge_requests'] as const;
export type TemplateKind = (typeof templateKinds)[number];

export interface FoundTemplate {
  readonly key: string;
  readonly name: string;
  /** The project that keeps it; null for those of the product. */
  readonly projectId: number | null;
  readonly license: License | null;
  content(): Promise<string>;
}

/** Where a project keeps them, and how their names end. */
const places: Readonly<Record<TemplateKind, { readonly directory: string; readonly ending: string }>> = {
  dockerfiles: { directory: 'Dockerfile', ending: '.dockerfile' },
  gitignores: { directory: 'gitignore', ending: '.gitignore' },
  gitlab_ci_ymls: { directory: 'gitlab-ci', ending: '.yml' },
  licenses: { directory: 'LICENSE', ending: '.txt' },
  issues: { directory: '.gitlab/issue_templates', ending: '.md' },
  merge_requests: { directory: '.gitlab/merge_request_templates', ending: '.md' },
};
const maximumBytes = 1024 ** 2;

const texts: Readonly<Record<Exclude<FileKind, 'licenses'>, Readonly<Record<string, string>>>> = {
  dockerfiles,
  gitignores,
  gitlab_ci_ymls: ciTemplates,
};

function ofProduct(kind: TemplateKind): FoundTemplate[] {
  if (kind === 'issues' || kind === 'merge_requests') return [];
  if (kind === 'licenses')
    return licenses.map((license) => ({
      key: license.key,
      name: license.name,
      projectId: null,
      license,
      content: () => licenseText(license),
    }));
  return Object.entries(texts[kind]).map(([name, content]) => ({
    key: name,
    name,
    projectId: null,
    license: null,
    content: async () => content,
  }));
}

export function templateService(deps: {
  readonly db: Db;
  readonly reader: RepositoryReader;
  readonly readText: RepositoryAccess['readText'];
  readonly find: (idOrPath: string) => Promise<ProjectSubject | null>;
  /** The project whose files are templates for everybody. */
  readonly instanceProject: () => Promise<number | null>;
}) {
  /** Those on the default branch of a project. */
  async function keptIn({ project }: ProjectSubject, kind: TemplateKind): Promise<FoundTemplate[]> {
    if (project.refs_generation === 0 || project.default_branch === null) return [];
    const sha = await deps.reader.resolve(project, `refs/heads/${project.default_branch}`);
    if (sha === null) return [];
    const { directory, ending } = places[kind];
    const entries = (await deps.reader.tree(project, sha, directory, false)) ?? [];
    return entries
      .filter(({ type, mode, name }) => type === 'blob' && mode !== '120000' && name.endsWith(ending))
      .map(({ name: file, path }) => {
        const name = file.slice(0, -ending.length);
        return {
          key: name,
          name,
          projectId: project.id,
          license: null,
          content: async () => (await deps.readText(project, sha, path, maximumBytes)) ?? '',
        };
      })
      .filter(({ name }) => name !== '');
  }

  /** The project itself (what people write into forms), the groups above it, the instance; nearest first. */
  async function sources(kind: TemplateKind, subject: ProjectSubject | null): Promise<ProjectSubject[]> {
    const own = kind === 'issues' || kind === 'merge_requests' ? subject : null;
    const groups = subject === null ? [] : await templateProjectsOf(deps.db, subject.namespace.traversal_ids);
    const instance = await deps.instanceProject();
    const ids = new Set([...groups, ...(instance === null ? [] : [instance])]);
    if (own) ids.delete(own.project.id);
    const kept = await Promise.all([...ids].map((id) => deps.find(String(id))));
    return [...(own ? [own] : []), ...kept.filter((found) => found !== null)];
  }

  /** All of a kind, each name once: the nearest wins. */
  async function list(
    kind: TemplateKind,
    subject: ProjectSubject | null,
    from: number | undefined = undefined,
  ): Promise<FoundTemplate[]> {
    const kept = await Promise.all((await sources(kind, subject)).map((source) => keptIn(source, kind)));
    const found = new Map<string, FoundTemplate>();
    for (const template of [...kept.flat(), ...ofProduct(kind)])
      if ((from === undefined || template.projectId === from) && !found.has(template.key))
        found.set(template.key, template);
    return [...found.values()];
  }

  return {
    list,
    /**
     * The text that is taken where nobody chooses one: of the file `Default`, in any spelling. As in the ecosystem those that
     * groups and the instance keep come first here.
     */
    async defaultText(kind: 'issues' | 'merge_requests', subject: ProjectSubject): Promise<string | null> {
      const [own, ...above] = await sources(kind, subject);
      for (const source of [...above, own]) {
        const kept = source ? await keptIn(source, kind) : [];
        const found = kept.find(({ key }) => key.toLowerCase() === 'default');
        const text = found && (await found.content());
        if (text?.trim()) return text;
      }
      return null;
    },
    async one(kind: TemplateKind, subject: ProjectSubject | null, key: string, from?: number) {
      const all = await list(kind, subject, from);
      const lower = key.toLowerCase();
      return (
        all.find((template) => template.key === key) ??
        all.find((template) => kind === 'licenses' && template.key.toLowerCase() === lower) ??
        null
      );
    },
  };
}
export type TemplateService = ReturnType<typeof templateService>;
