/** Compiles a set of files in a context that is written down as data. */
import {
  compile,
  type CompileInput,
  type CompileResult,
  type Fetch,
  filesMatching,
  type IncludeSource,
  type Limits,
  type Variable,
} from '../src/index.ts';

export type CaseContext = {
  ref?: string;
  tag?: boolean;
  source?: string;
  base?: Record<string, string>;
  override?: Record<string, string>;
  /** Variables of the project for one environment each. */
  scoped?: Record<string, Record<string, string>>;
  /** Variables of the project that are hidden in logs. */
  masked?: Record<string, string>;
  inputs?: Record<string, unknown>;
  /** Null: unknown. A list: whatever is compared with. A hash: by `compare_to`. */
  changed?: string[] | null | Record<string, string[] | 'unknown ref'>;
  /** Paths in other projects, by `PROJECT` or `PROJECT@REF`. */
  elsewhere?: Record<string, string[]>;
  /** Paths in the repository; the case's own files when absent. */
  paths?: string[];
  /** What stands for a file's content, and the commit that changed it last, by path. */
  contents?: Record<string, string>;
  commits?: Record<string, string>;
  /** Environments that there are. */
  environments?: Record<string, { tier: string; url: string | null }>;
  /** Why something cannot be fetched, by its path. */
  failures?: Record<string, string>;
  limits?: Partial<Limits>;
};

export const casesRoot: string = import.meta.dirname;
export const ENTRY = '.gitlab-ci.yml';

function variables(values: Record<string, string> = {}): Variable[] {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
}

/** What is not of the repository lies in folders of its own. */
function folderOf(source: IncludeSource | null): string {
  switch (source?.kind) {
    case undefined:
      return '';
    case 'project':
      return `${source.anonymous ? 'public-projects' : 'projects'}/${source.project}/`;
    case 'artifact':
      return `artifacts/${source.job}/`;
    case 'remote':
      return 'remote/';
    case 'template':
      return 'templates/';
    case 'component':
      return source.anonymous ? 'public-components/' : 'components/';
  }
}

function fetched(
  files: ReadonlyMap<string, string>,
  context: CaseContext,
  path: string,
  source: IncludeSource | null,
): Awaited<ReturnType<Fetch>> {
  const folder = folderOf(source);
  const local = folder + (source?.kind === 'remote' ? path.replace(/^https?:\/\/|[?#].*$/g, '') : path);
  const failure = context.failures?.[path];
  if (failure !== undefined) return { failure };
  const name = /([^/]+)@/.exec(path)?.[1] ?? '';
  const facts = { project: path.replace(/^[^/]+\/|\/[^/]*@.*$/g, ''), sha: 'c0ffee', name, version: /@\d|@~/.test(path) ? '1.2.3' : null };
  const component = source?.kind === 'component' ? { component: { ...facts, reference: path.replace(/^[^@]*@/, ''), address: path } } : {};
  const paths = local.includes('*') ? filesMatching(local, [...files.keys()]) : [local];
  return paths.flatMap((each) => {
    const content = files.get(each);
    return content === undefined ? [] : [{ path: each.slice(folder.length), content, ...component }];
  });
}

export function inputOf(files: ReadonlyMap<string, string>, context: CaseContext = {}): CompileInput {
  const { changed = null } = context;
  const masked = variables(context.masked).map((each) => ({ ...each, masked: true }));
  return {
    path: ENTRY,
    content: files.get(ENTRY) ?? '',
    context: {
      ref: context.ref ?? 'main',
      sha: '1234567890abcdef1234567890abcdef12345678',
      tag: context.tag ?? false,
      source: context.source ?? 'push',
      defaultBranch: 'main',
      variables: {
        base: variables(context.base),
        override: [...variables(context.override), ...masked],
        forEnvironment: (name) => {
          const own = context.scoped?.[name];
          return own ? [...variables(context.override), ...masked, ...variables(own)] : null;
        },
      },
      changedPaths: (compareTo) =>
        Promise.resolve(changed === null || Array.isArray(changed) ? changed : (changed[compareTo ?? ''] ?? null)),
      listPaths: () => Promise.resolve(context.paths ?? [...files.keys()]),
      listPathsIn: ({ project, ref }) =>
        Promise.resolve(context.elsewhere?.[ref === null ? project : `${project}@${ref}`] ?? null),
      environmentOf: (name) => Promise.resolve(context.environments?.[name] ?? null),
      versionOf: (path, of) => Promise.resolve(context[of === 'commit' ? 'commits' : 'contents']?.[path] ?? null),
    },
    fetch: (path, source) => Promise.resolve(fetched(files, context, path, source)),
    ...(context.inputs ? { inputs: context.inputs } : {}),
    ...(context.limits ? { limits: context.limits } : {}),
  };
}

export function compileCase(files: ReadonlyMap<string, string>, context: CaseContext = {}): Promise<CompileResult> {
  return compile(inputOf(files, context));
}

export function compileText(content: string, context: CaseContext = {}): Promise<CompileResult> {
  return compileCase(new Map([[ENTRY, content]]), context);
}
