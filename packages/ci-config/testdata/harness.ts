/** Compiles a set of files in a context that is written down as data. */
import { compile, type CompileInput, type CompileResult, filesMatching, type Limits, type Variable } from '../src/index.ts';

export type CaseContext = {
  ref?: string;
  tag?: boolean;
  source?: string;
  base?: Record<string, string>;
  override?: Record<string, string>;
  /** Variables of the project that are hidden in logs. */
  masked?: Record<string, string>;
  inputs?: Record<string, unknown>;
  /** Null: unknown. A list: whatever is compared with. A hash: by `compare_to`. */
  changed?: string[] | null | Record<string, string[]>;
  /** Paths in the repository; the case's own files when absent. */
  paths?: string[];
  commits?: Record<string, string>;
  limits?: Partial<Limits>;
};

export const casesRoot: string = import.meta.dirname;
export const ENTRY = '.gitlab-ci.yml';

function variables(values: Record<string, string> = {}): Variable[] {
  return Object.entries(values).map(([key, value]) => ({ key, value }));
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
      variables: { base: variables(context.base), override: [...variables(context.override), ...masked] },
      changedPaths: (compareTo) =>
        Promise.resolve(changed === null || Array.isArray(changed) ? changed : (changed[compareTo ?? ''] ?? null)),
      listPaths: () => Promise.resolve(context.paths ?? [...files.keys()]),
      fileCommit: (path) => Promise.resolve(context.commits?.[path] ?? null),
    },
    // Files of another project and of artifacts lie in folders of their own.
    fetch: (path, source) => {
      const folder =
        source?.kind === 'project' ? `projects/${source.project}/` : source ? `artifacts/${source.job}/` : '';
      const local = folder + path;
      const paths = local.includes('*') ? filesMatching(local, [...files.keys()]) : [local];
      const found = paths.flatMap((each) =>
        files.has(each) ? [{ path: each.slice(folder.length), content: files.get(each)! }] : [],
      );
      return Promise.resolve(found);
    },
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
