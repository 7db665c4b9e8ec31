/** Pass: `include`. Files come through an injected fetcher; the including file lies over what it includes. */
import { CompileFailure, fail, failLimit, located, type Mark } from '../diagnostics.ts';
import { applyInputs, type InputContext } from '../expand/inputs.ts';
import { variableScope } from '../expand/variables.ts';
import { type ParsedFile, parseFile, parseSpecFile } from '../inputs/file.ts';
import { type InputSpec, mergedSpecs } from '../inputs/spec.ts';
import { scalar } from '../inputs/value.ts';
import { type Paths, pathMatcher } from '../rules/paths.ts';
import { evaluateRules, type Surroundings } from '../rules/rules.ts';
import { checkBytes } from '../yaml/parse.ts';
import { deepMerge, type Entry, isMapping, type MappingNode, mapping, type Node } from '../yaml/tree.ts';
import { headerEntries, type IncludeEntry, type IncludeSource, includeEntries } from './entry.ts';

export type { IncludeSource } from './entry.ts';
export type IncludedFile = {
  readonly path: string;
  readonly content: string;
  /** Bytes of a file that was too large to be read: its content is left out. */
  readonly bytes?: number;
  /** Of a component: where it was found, and what its header may ask for. */
  readonly component?: Component;
};
export type Component = {
  readonly project: string;
  readonly sha: string;
  readonly name: string;
  /** Null unless it is a released one. */
  readonly version: string | null;
  /** The version as it was asked for, like `1.0` or `~latest`. */
  readonly reference: string;
  /** The whole address that was asked for, its variables replaced. */
  readonly address: string;
};
/** Why there is no file: the end of a sentence that begins with the project for files of one, a reason for others. */
export type FetchFailure = { readonly failure: string };

/**
 * The files for a path relative to the repository's root, without a leading slash. A path with `*` may give several;
 * null or an empty list means that there is none. Without a source they are of the repository itself.
 */
export type Fetch = (
  path: string,
  source: IncludeSource | null,
) => Promise<readonly IncludedFile[] | FetchFailure | null>;

export type IncludeContext = InputContext & {
  readonly fetch: Fetch;
  readonly around: Surroundings;
  readonly signal?: AbortSignal | undefined;
};

type ProjectSource = Extract<IncludeSource, { kind: 'project' }>;
type State = IncludeContext & {
  readonly count: { files: number; bytes: number };
  readonly parsed: Map<string, ParsedFile>;
  /** In files that are not of a repository, and in what these include. */
  readonly elsewhere: boolean;
};
/** A file on the way to another: what it is known by, and how people read of it. */
type Step = { readonly key: string; readonly name: string };

/** The root of `path` with everything that it includes, and without the `include` keyword. */
export async function resolveIncludes(
  path: string,
  root: MappingNode,
  bytes: number,
  context: IncludeContext,
): Promise<MappingNode> {
  const state = { ...context, count: { files: 0, bytes }, parsed: new Map(), elsewhere: false };
  return expand(root, [{ key: path, name: path }], state);
}

/** The entry file with the inputs that its header includes. */
export async function withIncludedInputs(
  file: ParsedFile,
  bytes: number,
  context: IncludeContext,
): Promise<ParsedFile> {
  return await includeInputs(file, { ...context, count: { files: 0, bytes }, parsed: new Map(), elsewhere: false });
}

async function includeInputs(file: ParsedFile, state: State, origin: ProjectSource | null = null): Promise<ParsedFile> {
  const { include, specs } = file;
  if (!include || !specs) return file;
  const { problems, count } = state;
  const before = problems.errors.length;
  const lists: (readonly InputSpec[])[] = [];
  for (const entry of headerEntries(include, state)) {
    state.signal?.throwIfAborted();
    const at = { ...entry, source: sourceOf(entry, origin, state) };
    for (const found of await filesOf(at, state)) {
      count.files++;
      checkCount(entry.mark, state);
      countBytes(found, stepOf(found, at).name, entry.mark, state);
      lists.push(parseSpecFile(stepOf(found, at).name, found.content, state));
    }
  }
  const merged = mergedSpecs([...lists, specs], include.mark, state);
  if (problems.errors.length > before) throw new CompileFailure(problems.errors[before]!);
  return { ...file, include: null, specs: merged };
}

/** A file from elsewhere learns nothing of this project: no variables, no files, nothing that only some may read. */
function seenFromElsewhere(state: State, mark: Mark): State {
  if (state.elsewhere) return state;
  const scope = variableScope([], { limits: state.limits, used: 0 }, mark);
  const nothing = { changedPaths: () => Promise.resolve([]), listPaths: () => Promise.resolve([]) };
  return { ...state, elsewhere: true, around: { scope, paths: pathMatcher(nothing, state.limits) } };
}

async function expand(
  root: MappingNode,
  chain: readonly Step[],
  state: State,
  origin: ProjectSource | null = null,
): Promise<MappingNode> {
  const include = root.entries.get('include');
  if (!include) return root;
  const entries = new Map<string, Entry>(root.entries);
  entries.delete('include');
  const own = mapping(root.mark, entries);
  let below = mapping(root.mark);
  for (const entry of includeEntries(include.value, state)) {
    state.signal?.throwIfAborted();
    // What a file of another project calls local is of that project, and so are the files that its rules look for.
    const at = { ...entry, source: sourceOf(entry, origin, state) };
    for (const file of await filesOf(at, origin ? within(origin, state) : state)) {
      const included = await load(file, at, chain, state);
      below = deepMerge(below, included, state.budget);
    }
  }
  return deepMerge(below, own, state.budget);
}

/** The state for rules of a file of another project. */
function within({ project, ref }: ProjectSource, state: State): State {
  const { paths } = state.around;
  const exist: Paths['exist'] = async (patterns) => (await paths.existIn({ project, ref }, patterns)) ?? false;
  return { ...state, around: { ...state.around, paths: { ...paths, exist } } };
}

function sourceOf({ source }: IncludeEntry, origin: ProjectSource | null, state: State): IncludeSource | null {
  const anonymous = state.elsewhere ? ({ anonymous: true } as const) : {};
  if (source?.kind === 'component') return { ...source, ...anonymous };
  if (source?.kind !== 'project') return source ?? origin;
  const { scope } = state.around;
  const ref = source.ref === null ? null : scope.expand(source.ref, 'empty');
  return { ...source, ...anonymous, project: scope.expand(source.project, 'empty').replace(/^\/+/, ''), ref };
}

async function filesOf(entry: IncludeEntry, state: State): Promise<readonly IncludedFile[]> {
  if (entry.rules) {
    const rule = await evaluateRules(entry.rules, state.around);
    if (!rule || rule.when === 'never') return [];
  }
  const { source, mark } = entry;
  const path = state.around.scope.expand(entry.local, 'empty').replace(/^\/+/, '');
  const wrong = problemOf(path, entry, state);
  if (wrong !== null) {
    state.problems.error(mark, wrong);
    return [];
  }
  const found = await state.fetch(path, source);
  const files = found === null || 'failure' in found ? [] : found;
  if (files.length === 0) {
    state.problems.error(mark, missing(path, entry, found !== null && 'failure' in found ? found.failure : null));
    return [];
  }
  return [...files].sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

/** What speaks against fetching it at all. */
function problemOf(path: string, { source, local }: IncludeEntry, { elsewhere }: State): string | null {
  const isYaml = (name: string) => /\.ya?ml$/.test(name);
  switch (source?.kind) {
    case 'remote': {
      const address = /^https?:\/\//.test(path) ? URL.parse(path) : null;
      if (!address) return `Remote file \`${source.shown}\` does not have a valid address!`;
      return isYaml(address.pathname) ? null : `Included file \`${source.shown}\` does not have YAML extension!`;
    }
    case 'template':
      return path.endsWith('.gitlab-ci.yml') ? null : `Template file \`${local}\` is not a valid location!`;
    case 'component':
      return null;
    default: {
      // What came from elsewhere has no repository around it, and no parent pipeline.
      if (elsewhere && source?.kind !== 'project')
        return `Local file \`${path}\` cannot be included by a file that is not in a repository!`;
      if (path.split('/').includes('..')) return `Local file \`${path}\` is outside of the repository!`;
      if (source?.kind === 'artifact' || isYaml(path)) return null;
      return `Included file \`${path}\` does not have YAML extension!`;
    }
  }
}

/** Addresses and names are shown as they are written: what variables hold may be secret. */
function missing(path: string, { source, local }: IncludeEntry, failure: string | null): string {
  const because = failure === null ? '' : `: ${failure}`;
  switch (source?.kind) {
    case undefined:
      return `Local file \`${path}\` does not exist!`;
    case 'artifact':
      return `Job \`${source.job}\` has no artifact \`${path}\`!`;
    case 'project':
      return `Project \`${source.project}\` ${failure ?? `file \`${path}\` does not exist!`}`;
    case 'remote':
      return `Remote file \`${source.shown}\` could not be fetched${because}!`;
    case 'template':
      return `Template file \`${local}\` does not exist!`;
    case 'component':
      return `Component \`${local}\` could not be included${because}!`;
  }
}

/** A file's name in messages, and what it is known by: what is shown of two addresses may be equal. */
function stepOf(file: IncludedFile, { source, local }: IncludeEntry): Step {
  const path = file.path.replace(/^\/+/, '');
  const step = (name: string, key = name): Step => ({ name, key });
  switch (source?.kind) {
    case undefined:
      return step(path);
    case 'artifact':
      return step(`artifact of ${source.job}: ${path}`);
    case 'project':
      return step(`${source.project}${source.ref === null ? '' : `@${source.ref}`}: ${path}`);
    case 'remote':
      return step(source.shown, `remote ${path}`);
    case 'template':
      return step(`template ${local}`);
    case 'component':
      return step(`component ${local}`, `component ${file.component?.address ?? path}`);
  }
}

/** Where the files are that a file calls local. */
function originOf({ component }: IncludedFile, source: IncludeSource | null): ProjectSource | null {
  if (component) {
    const { project, sha: ref } = component;
    return {
      kind: 'project',
      project,
      ref,
      ...(source?.kind === 'component' && source.anonymous ? { anonymous: true } : {}),
    };
  }
  return source?.kind === 'project' ? source : null;
}

/** What a header may ask for with `spec:component`. */
function factsOf({ component }: IncludedFile, mark: Mark): ReadonlyMap<string, Node> {
  if (!component) return new Map();
  const { name, sha, version, reference } = component;
  return new Map(Object.entries({ name, sha, version, reference }).map(([key, value]) => [key, scalar(mark, value)]));
}

async function load(
  file: IncludedFile,
  entry: IncludeEntry,
  chain: readonly Step[],
  state: State,
): Promise<MappingNode> {
  const { limits, count } = state;
  const { mark, inputs, source } = entry;
  const step = stepOf(file, entry);
  const { name } = step;
  const steps = [...chain, step];
  if (chain.some(({ key }) => key === step.key))
    fail(mark, `include loop: ${steps.map((each) => each.name).join(' -> ')}`);
  if (chain.length > limits.includeDepth) failLimit(mark, 'levels of include', limits, 'includeDepth', chain.length);
  count.files++;
  checkCount(mark, state);
  const isElsewhere = source?.kind === 'remote' || source?.kind === 'template';
  const within = isElsewhere ? seenFromElsewhere(state, mark) : state;
  const origin = originOf(file, source);
  const known = state.parsed.get(step.key) ?? parseIncluded(file, name, mark, state);
  if (file.component && known.include) fail(known.include.mark, 'header:spec:include cannot be used in a component');
  const parsed = await includeInputs(known, within, origin);
  state.parsed.set(step.key, parsed);
  const root = applyInputs(parsed, { mark, values: inputs, component: factsOf(file, mark) }, state, mark);
  if (root === null) return fail(mark, `Included file \`${name}\` is empty or does not exist!`);
  if (!isMapping(root)) return fail(root.mark, `Included file \`${name}\` does not have valid YAML syntax!`);
  return expand(root, steps, within, origin);
}

function checkCount(mark: Mark, { limits: { includes }, count: { files } }: State): void {
  if (files <= includes) return;
  const use = { name: 'includes', value: includes, used: files } as const;
  throw new CompileFailure(located(mark, `Maximum of ${includes} nested includes are allowed!`, use));
}

function countBytes(file: IncludedFile, name: string, mark: Mark, { limits, count }: State): void {
  const bytes = file.bytes ?? Buffer.byteLength(file.content);
  checkBytes(name, bytes, limits);
  count.bytes += bytes;
  if (count.bytes > limits.totalBytes) failLimit(mark, 'bytes in all files', limits, 'totalBytes', count.bytes);
}

function parseIncluded(file: IncludedFile, name: string, mark: Mark, state: State): ParsedFile {
  countBytes(file, name, mark, state);
  return parseFile(name, file.content, state);
}
