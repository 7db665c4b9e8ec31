/** Expanded root -> configuration: stages, defaults, variables, workflow and jobs, each keyword checked and normalised. */
import { type Mark, type Problems, wholeOf } from '../diagnostics.ts';
import { INHERITABLE, JOB_KEYWORDS, type JobConfig } from '../keywords/index.ts';
import type { Keyword, LintedJob } from '../keywords/keyword.ts';
import { stages, withEdges } from '../keywords/stages.ts';
import { reportUnsupported } from '../keywords/unsupported.ts';
import { rootVariables, type YamlVariable } from '../keywords/variables.ts';
import { type Workflow, workflow } from '../keywords/workflow.ts';
import type { Limits } from '../limits.ts';
import { isMapping, isNull, type MappingNode, type Node } from '../yaml/tree.ts';

export type ConfigJob = LintedJob & { readonly mark: Mark };
export type Configuration = {
  readonly stages: readonly string[];
  readonly workflow: Workflow | null;
  readonly variables: readonly YamlVariable[];
  readonly defaults: JobConfig;
  readonly jobs: readonly ConfigJob[];
};
type Context = { readonly problems: Problems; readonly limits: Limits };
type KeywordTable = ReadonlyMap<string, Keyword<unknown>>;

/** Characters of a job's name, with what `parallel` adds to it. */
export const LONGEST_NAME = 255;
const DEFAULT_KEYWORDS: KeywordTable = new Map(INHERITABLE.map((name) => [name, JOB_KEYWORDS.get(name)!]));
// The older place of defaults.
const GLOBAL_DEFAULTS: KeywordTable = new Map(
  ['image', 'services', 'before_script', 'after_script', 'cache'].map((name) => [name, JOB_KEYWORDS.get(name)!]),
);
const ROOT_KEYWORDS = new Set(['default', 'stages', 'variables', 'workflow', 'spec', ...GLOBAL_DEFAULTS.keys()]);

export function readConfiguration(root: MappingNode, context: Context): Configuration {
  const { problems } = context;
  const spec = root.entries.get('spec');
  if (spec) problems.error(spec.keyMark, 'spec belongs into a header of its own, with `---` after it');
  const jobs: ConfigJob[] = [];
  let visible = 0;
  for (const [name, { keyMark, value }] of root.entries) {
    if (ROOT_KEYWORDS.has(name) || name.startsWith('.')) continue;
    visible++;
    const job = readJob(name, keyMark, value, context);
    if (job) jobs.push(job);
  }
  // Where a file is missing the jobs may be in it.
  if (visible === 0 && problems.errors.length === 0)
    problems.error(wholeOf(root.mark), 'jobs config should contain at least one visible job');
  return {
    stages: readOne(root, stages, context) ?? withEdges(),
    workflow: readOne(root, workflow, context),
    variables: readOne(root, rootVariables, context) ?? [],
    defaults: readDefaults(root, context),
    jobs,
  };
}

function readOne<T>(root: MappingNode, keyword: Keyword<T>, { problems, limits }: Context): T | null {
  const node = root.entries.get(keyword.name)?.value;
  const at = { path: keyword.name, noun: 'config' };
  if (!node || isNull(node) || !keyword.schema(node, at, problems)) return null;
  return keyword.normalise(node, { at, problems, limits });
}

function readDefaults(root: MappingNode, context: Context): JobConfig {
  const outside: MappingNode = {
    ...root,
    entries: new Map([...root.entries].filter(([name]) => GLOBAL_DEFAULTS.has(name))),
  };
  const global = readKeywords(outside, '', GLOBAL_DEFAULTS, context);
  const entry = root.entries.get('default');
  if (!entry || isNull(entry.value)) return global;
  if (!isMapping(entry.value)) {
    context.problems.error(entry.keyMark, 'default config should be a hash');
    return global;
  }
  for (const [name, { keyMark }] of outside.entries) {
    if (entry.value.entries.has(name)) {
      context.problems.error(keyMark, `${name} is defined in top-level and \`default:\` entry`);
    }
  }
  return { ...global, ...readKeywords(entry.value, 'default', DEFAULT_KEYWORDS, context) };
}

function readJob(name: string, keyMark: Mark, node: Node, context: Context): ConfigJob | null {
  const { problems } = context;
  if (!isMapping(node)) {
    problems.error(keyMark, `jobs ${name} config should implement the script:, run:, or trigger: keyword`);
    return null;
  }
  if (name.trim() === '') problems.error(keyMark, "jobs name can't be blank");
  if (name.length > LONGEST_NAME) {
    problems.error(keyMark, `jobs:${name.slice(0, 40)}... name is too long (maximum is ${LONGEST_NAME} characters)`);
  }
  const before = problems.errors.length;
  const config = readKeywords(node, `jobs:${name}`, JOB_KEYWORDS, context);
  const job: ConfigJob = {
    name,
    config,
    mark: keyMark,
    markOf: (keyword) => node.entries.get(keyword)?.value.mark ?? keyMark,
  };
  // A keyword that was refused is absent from the configuration; judging the rest by that would mislead.
  if (problems.errors.length === before) {
    for (const keyword of JOB_KEYWORDS.values()) keyword.lint?.(job, problems);
  }
  return job;
}

function readKeywords(node: MappingNode, path: string, table: KeywordTable, { problems, limits }: Context): JobConfig {
  const values: Record<string, unknown> = {};
  const unknown: [name: string, mark: Mark][] = [];
  for (const [name, { keyMark, value }] of node.entries) {
    const keyword = table.get(name);
    if (!keyword) {
      if (!reportUnsupported(name, path, keyMark, problems)) unknown.push([name, keyMark]);
      continue;
    }
    const at = { path: path ? `${path}:${name}` : name, noun: 'config' };
    if (isNull(value) || !keyword.schema(value, at, problems)) continue;
    values[name] = keyword.normalise(value, { at, problems, limits });
  }
  if (unknown.length > 0) {
    const names = unknown.map(([name]) => name).join(', ');
    problems.error(unknown[0]![1], `${path} config contains unknown keys: ${names}`);
  }
  return values as JobConfig;
}
