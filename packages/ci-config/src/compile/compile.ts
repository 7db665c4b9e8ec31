/** The whole way: text + context -> plan or located errors. */
import {
  CompileFailure,
  collectProblems,
  fail,
  type Located,
  type Mark,
  type Problems,
  wholeOf,
} from '../diagnostics.ts';
import { applyExtends } from '../expand/extends.ts';
import { applyInputs } from '../expand/inputs.ts';
import { resolveReferences } from '../expand/reference.ts';
import { layer, type Variable, variableScope } from '../expand/variables.ts';
import { type Fetch, type IncludeContext, resolveIncludes, withIncludedInputs } from '../include/resolve.ts';
import { declaredInputs, type InputDeclaration } from '../inputs/declarations.ts';
import { type ParsedFile, parseFile } from '../inputs/file.ts';
import { nodeOf } from '../inputs/value.ts';
import type { Given } from '../inputs/values.ts';
import type { YamlVariable } from '../keywords/variables.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { type PathSource, pathMatcher } from '../rules/paths.ts';
import { checkBytes } from '../yaml/parse.ts';
import { checkSize, isMapping, type MappingNode, mergeBudget, type Node } from '../yaml/tree.ts';
import { writeYaml } from '../yaml/write.ts';
import type { VersionOf } from './cache-key.ts';
import type { EnvironmentOf, VariablesFor } from './environment.ts';
import { compilePipeline, type Filtered } from './pipeline.ts';
import { type Decision, deepFreeze, type Plan, type WorkflowDecision } from './plan.ts';
import { type Configuration, readConfiguration } from './structure.ts';

/** The pipeline that is asked for. */
export type CompileContext = PathSource & {
  /** Short name of the branch or tag. */
  readonly ref: string;
  readonly sha: string;
  readonly tag: boolean;
  /** push, web, api, schedule, trigger, merge_request_event ... */
  readonly source: string;
  readonly defaultBranch: string;
  readonly variables: {
    /** Predefined variables, which the configuration's own may replace. */
    readonly base: readonly Variable[];
    /** Instance, group, project and pipeline variables, which replace the configuration's; later ones win. */
    readonly override: readonly Variable[];
    /** These for jobs of one environment; null where they are the same. */
    readonly forEnvironment?: VariablesFor;
  };
  /** For `cache:key:files` and `files_commits`. Without it these keys end in `default`. */
  readonly versionOf?: VersionOf;
  /** What environments there are, for rules that look at them. Without it none is known. */
  readonly environmentOf?: EnvironmentOf;
};

export type CompileInput = {
  /** Name of the entry file, for messages and loops of includes. */
  readonly path: string;
  readonly content: string;
  /** Bytes of an entry file that was too large to be read: its content is left out. */
  readonly bytes?: number;
  readonly context: CompileContext;
  readonly fetch: Fetch;
  /** Values for the inputs that the entry file declares, as JSON has them. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<Limits>;
  /** Takes every job, whatever the rules say: for checking a configuration by itself, wherever it may run. */
  readonly everyJob?: boolean;
  readonly signal?: AbortSignal;
};

type Common = {
  readonly warnings: readonly Located[];
  /** For each job why it is in or out; empty when the configuration is wrong before that is asked. */
  readonly decisions: readonly Decision[];
  /** What `workflow:rules` decided; null without them, and when it did not get that far. */
  readonly workflow: WorkflowDecision | null;
  /** Writes the configuration with includes, `extends` and references applied; null when it did not get that far. */
  readonly mergedYaml: (() => string) | null;
  /** The inputs that the header declares, with the options that hold beside those that were given; none when it is wrong. */
  readonly inputs: () => InputDeclaration[];
  /**
   * The variables that say what they are for: for the form that starts a pipeline by hand. They are found before the inputs
   * that are required are given, too, as if these were empty. None when the configuration is wrong in another way.
   */
  readonly described: () => Promise<readonly YamlVariable[]>;
};
export type CompileResult = Common &
  (
    | { readonly ok: true; readonly plan: Plan }
    | {
        readonly ok: false;
        readonly errors: readonly Located[];
        /** The configuration is valid and makes no pipeline here: by `workflow:rules`, or because no job is left. */
        readonly filtered?: Filtered;
      }
  );

/**
 * Compiles a configuration. Wrong input of any kind is a result, not an exception; what rejects is `signal` being
 * aborted and errors of the injected functions.
 */
export async function compile(input: CompileInput): Promise<CompileResult> {
  const problems = collectProblems();
  const state: Reached = { merged: null, inputs: () => [], described: () => Promise.resolve([]) };
  try {
    return await run(input, problems, state);
  } catch (error) {
    if (!(error instanceof CompileFailure)) throw error;
    const { limit, message } = error.located;
    problems.error(error.located, message, limit);
    return {
      ok: false,
      errors: inOrder(problems.errors),
      ...common(problems, state, { decisions: [], workflow: null }),
    };
  }
}

async function run(input: CompileInput, problems: Problems, state: Reached): Promise<CompileResult> {
  const { path, content, context, signal } = input;
  const limits = { ...DEFAULT_LIMITS, ...input.limits };
  const budget = mergeBudget(limits);
  const entry = { file: path, line: 1, column: 1 };
  const parsing = { limits, problems, budget };
  const paths = pathMatcher(context, limits);
  const expansion = { limits, used: 0 };
  const layers = {
    below: [layer(ownVariables(context)), layer(context.variables.base)],
    above: [layer(context.variables.override)],
    budget: expansion,
  };

  signal?.throwIfAborted();
  const scope = variableScope([...layers.below, ...layers.above], expansion, entry);
  const interpolating = { ...parsing, expand: scope.expandExisting, use: { bytes: 0 } };
  const given = Object.entries(input.inputs ?? {}).map(
    ([name, value]) => [name, nodeOf(value, entry, limits)] as const,
  );
  const including = { ...interpolating, fetch: input.fetch, around: { scope, paths }, signal };
  const bytes = input.bytes ?? Buffer.byteLength(content);
  checkBytes(path, bytes, limits);
  const file = await withIncludedInputs(parseFile(path, content, parsing), bytes, including);
  state.inputs = () => declaredInputs(file, new Map(given), { problems: collectProblems(), limits });
  const values = { mark: null, values: new Map(given) };
  state.described = () => describedWithoutInputs(file, values, { path, bytes, entry, including });
  const root = await rootOf(applyInputs(file, values, interpolating, entry), { path, bytes, entry, including });
  state.merged = root;

  const configuration = readConfiguration(root, { problems, limits });
  state.described = () => Promise.resolve(describedIn(configuration));
  const result = await compilePipeline(configuration, {
    limits,
    problems,
    ref: context,
    layers,
    paths,
    versionOf: context.versionOf ?? (() => Promise.resolve(null)),
    environmentOf: context.environmentOf ?? (() => Promise.resolve(null)),
    variablesFor: context.variables.forEnvironment ?? (() => null),
    everyJob: input.everyJob ?? false,
    entry,
    signal,
  });
  const rest = common(problems, state, result);
  if ('filtered' in result) return { ok: false, errors: [result.reason], filtered: result.filtered, ...rest };
  if (result.plan === null) return { ok: false, errors: inOrder(problems.errors), ...rest };
  return { ok: true, plan: deepFreeze(result.plan), ...rest };
}

type Expanding = {
  readonly path: string;
  /** Of the entry file. */
  readonly bytes: number;
  readonly entry: Mark;
  readonly including: IncludeContext;
};

/** The whole configuration: with what the file includes, `extends` and references applied. */
async function rootOf(parsed: Node | null, { path, bytes, entry, including }: Expanding): Promise<MappingNode> {
  const { limits, budget } = including;
  if (parsed === null) return fail(wholeOf(entry), `Please provide content of ${path}`);
  if (!isMapping(parsed)) return fail(wholeOf(parsed.mark), 'Invalid configuration format');
  const included = await resolveIncludes(path, parsed, bytes, including);
  checkSize(included, limits);
  const extended = applyExtends(included, limits, budget);
  checkSize(extended, limits);
  const root = resolveReferences(extended, limits);
  checkSize(root, limits);
  return root;
}

const describedIn = ({ variables }: Configuration): YamlVariable[] =>
  variables.filter(({ description }) => description !== undefined);

/** Those of a file whose inputs are missing or wrong; what is wrong otherwise is told elsewhere. */
async function describedWithoutInputs(file: ParsedFile, given: Given, expanding: Expanding): Promise<YamlVariable[]> {
  const { limits } = expanding.including;
  const problems = collectProblems();
  const including = { ...expanding.including, problems, budget: mergeBudget(limits), use: { bytes: 0 } };
  try {
    const root = await rootOf(applyInputs(file, given, including, expanding.entry, true), { ...expanding, including });
    return describedIn(readConfiguration(root, { problems, limits }));
  } catch (error) {
    if (error instanceof CompileFailure) return [];
    throw error;
  }
}

/** How far a compilation came. */
type Reached = {
  merged: MappingNode | null;
  inputs: () => InputDeclaration[];
  described: () => Promise<readonly YamlVariable[]>;
};

function common(
  problems: Problems,
  { merged, inputs, described }: Reached,
  { decisions, workflow }: Pick<Common, 'decisions' | 'workflow'>,
): Common {
  const mergedYaml = merged && (() => writeYaml(merged));
  return { warnings: inOrder(problems.warnings), decisions, workflow, mergedYaml, inputs, described };
}

/** As people read them: file by file in the order of their first message, then from top to bottom. */
function inOrder(list: readonly Located[]): Located[] {
  const files = [...new Set(list.map(({ file }) => file))];
  return [...list].sort(
    (a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line || a.column - b.column,
  );
}

/** What the context says in other words; `base` normally holds the same and more. */
function ownVariables({ ref, sha, tag, source, defaultBranch }: CompileContext): Variable[] {
  const list: [string, string][] = [
    ['CI', 'true'],
    ['CI_PIPELINE_SOURCE', source],
    ['CI_COMMIT_SHA', sha],
    ['CI_COMMIT_REF_NAME', ref],
    ['CI_DEFAULT_BRANCH', defaultBranch],
  ];
  if (tag) list.push(['CI_COMMIT_TAG', ref]);
  else if (source !== 'merge_request_event') list.push(['CI_COMMIT_BRANCH', ref]);
  return list.map(([key, value]) => ({ key, value, raw: true }));
}
