/** Pass: `include`. Files come through an injected fetcher; the including file lies over what it includes. */
import { fail, failLimit, type Mark } from '../diagnostics.ts';
import { applyInputs, type InputContext } from '../expand/inputs.ts';
import { type ParsedFile, parseFile } from '../inputs/file.ts';
import { evaluateRules, type Surroundings } from '../rules/rules.ts';
import { deepMerge, type Entry, isMapping, type MappingNode, mapping } from '../yaml/tree.ts';
import { type IncludeEntry, type IncludeSource, includeEntries } from './entry.ts';

export type { IncludeSource } from './entry.ts';
export type IncludedFile = { readonly path: string; readonly content: string };

/**
 * The files for a path relative to the repository's root, without a leading slash. A path with `*` may give several;
 * null or an empty list means that there is none. Without a source they are of the repository itself.
 */
export type Fetch = (path: string, source: IncludeSource | null) => Promise<readonly IncludedFile[] | null>;

export type IncludeContext = InputContext & {
  readonly fetch: Fetch;
  readonly around: Surroundings;
  readonly signal?: AbortSignal | undefined;
};

type State = IncludeContext & { files: number; bytes: number; readonly parsed: Map<string, ParsedFile> };

/** The root of `path` with everything that it includes, and without the `include` keyword. */
export async function resolveIncludes(
  path: string,
  root: MappingNode,
  bytes: number,
  context: IncludeContext,
): Promise<MappingNode> {
  return expand(root, [path], { ...context, files: 0, bytes, parsed: new Map() });
}

async function expand(
  root: MappingNode,
  chain: readonly string[],
  state: State,
  origin: IncludeSource | null = null,
): Promise<MappingNode> {
  const include = root.entries.get('include');
  if (!include) return root;
  const entries = new Map<string, Entry>(root.entries);
  entries.delete('include');
  const own = mapping(root.mark, entries);
  let below = mapping(root.mark);
  for (const entry of includeEntries(include.value, state)) {
    state.signal?.throwIfAborted();
    // What a file of another project calls local is of that project.
    const at = { ...entry, source: sourceOf(entry, origin, state) };
    for (const file of await filesOf(at, state)) {
      const included = await load(file, at, chain, state);
      below = deepMerge(below, included, state.budget);
    }
  }
  return deepMerge(below, own, state.budget);
}

function sourceOf({ source }: IncludeEntry, origin: IncludeSource | null, state: State): IncludeSource | null {
  if (source?.kind !== 'project') return source ?? (origin?.kind === 'project' ? origin : null);
  const { scope } = state.around;
  const ref = source.ref === null ? null : scope.expand(source.ref, 'empty');
  return { ...source, project: scope.expand(source.project, 'empty').replace(/^\/+/, ''), ref };
}

/** A file's name in messages and in the search for loops. */
function nameOf(path: string, source: IncludeSource | null): string {
  if (source === null) return path;
  if (source.kind === 'artifact') return `artifact of ${source.job}: ${path}`;
  return `${source.project}${source.ref === null ? '' : `@${source.ref}`}: ${path}`;
}

async function filesOf(entry: IncludeEntry, state: State): Promise<readonly IncludedFile[]> {
  if (entry.rules) {
    const rule = await evaluateRules(entry.rules, state.around);
    if (!rule || rule.when === 'never') return [];
  }
  const path = state.around.scope.expand(entry.local, 'empty').replace(/^\/+/, '');
  if (path.split('/').includes('..')) {
    state.problems.error(entry.mark, `Local file \`${path}\` is outside of the repository!`);
    return [];
  }
  const { source } = entry;
  if (source?.kind !== 'artifact' && !/\.ya?ml$/.test(path)) {
    state.problems.error(entry.mark, `Included file \`${path}\` does not have YAML extension!`);
    return [];
  }
  const files = await state.fetch(path, source);
  if (!files?.length) {
    state.problems.error(entry.mark, missing(path, source));
    return [];
  }
  return [...files].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

function missing(path: string, source: IncludeSource | null): string {
  if (source === null) return `Local file \`${path}\` does not exist!`;
  if (source.kind === 'artifact') return `Job \`${source.job}\` has no artifact \`${path}\`!`;
  return `Project \`${source.project}\` has no file \`${path}\` there, or access is denied!`;
}

async function load(
  file: IncludedFile,
  { mark, inputs, source }: IncludeEntry,
  chain: readonly string[],
  state: State,
): Promise<MappingNode> {
  const { limits } = state;
  const path = nameOf(file.path.replace(/^\/+/, ''), source);
  if (chain.includes(path)) fail(mark, `include loop: ${[...chain, path].join(' -> ')}`);
  if (chain.length > limits.includeDepth) failLimit(mark, 'levels of include', limits, 'includeDepth', chain.length);
  state.files++;
  if (state.files > limits.includes) failLimit(mark, 'included files', limits, 'includes', state.files);
  const parsed = state.parsed.get(path) ?? parseIncluded(file, path, mark, state);
  state.parsed.set(path, parsed);
  const root = applyInputs(parsed, { mark, values: inputs }, state, mark);
  if (root === null) return fail(mark, `Included file \`${path}\` is empty or does not exist!`);
  if (!isMapping(root)) return fail(root.mark, `Included file \`${path}\` does not have valid YAML syntax!`);
  return expand(root, [...chain, path], state, source);
}

function parseIncluded(file: IncludedFile, path: string, mark: Mark, state: State): ParsedFile {
  const { limits } = state;
  state.bytes += Buffer.byteLength(file.content);
  if (state.bytes > limits.totalBytes) failLimit(mark, 'bytes in all files', limits, 'totalBytes', state.bytes);
  return parseFile(path, file.content, state);
}
