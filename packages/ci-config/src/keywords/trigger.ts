/** `trigger`: the job starts another pipeline, of another project or a child of its own, instead of running a script. */
import type { Problems } from '../diagnostics.ts';
import { includeEntries } from '../include/entry.ts';
import { plainValue } from '../yaml/plain.ts';
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, field, textOf } from './read.ts';
import {
  type At,
  boolean,
  either,
  flatItems,
  hash,
  isHash,
  isText,
  name,
  oneOf,
  type Schema,
  subjectOf,
} from './schema.ts';

/** What the entry file of a child pipeline includes, as its `include` has it. */
type TriggerInclude = Readonly<Record<string, unknown>>;

export type Trigger = {
  /** Path of another project, variables to be expanded when the job starts; null for a child pipeline. */
  readonly project: string | null;
  /** Branch of the other project; null for its default branch. */
  readonly branch: string | null;
  /** Null for a pipeline of another project. */
  readonly include: readonly TriggerInclude[] | null;
  /** Whether the job ends as the pipeline does; null when it is enough that the pipeline was created. */
  readonly strategy: 'depend' | 'mirror' | null;
  readonly forward: { readonly yamlVariables: boolean; readonly pipelineVariables: boolean };
  readonly inputs: Readonly<Record<string, unknown>> | null;
};

/** Files that the entry of one child pipeline may include. */
const MOST_INCLUDES = 3;
// What has no meaning for a job that no runner runs.
const RUNNER_KEYWORDS = [
  'script',
  'before_script',
  'after_script',
  'artifacts',
  'cache',
  'retry',
  'timeout',
  'tags',
  'coverage',
  'image',
  'services',
  'hooks',
  'release',
  'dependencies',
  'run',
  'id_tokens',
  'secrets',
  'inputs',
  'pages',
  'publish',
  'identity',
] as const;

const common = {
  strategy: oneOf(['depend', 'mirror'], 'should be depend or mirror'),
  forward: hash({ keys: { yaml_variables: boolean, pipeline_variables: boolean } }),
};
const anyHash: Schema = (node, at, problems) => {
  if (isHash(node)) return true;
  problems.error(node.mark, `${subjectOf(at)} should be a hash`);
  return false;
};
const anyInclude: Schema = (node, at, problems) => {
  if (isText(node) || isHash(node) || node.kind === 'sequence') return included(node, at, problems);
  problems.error(node.mark, `${subjectOf(at)} should be an array of hashes or strings`);
  return false;
};
const ofProject = hash({ keys: { ...common, project: name, branch: name, inputs: anyHash } });
const ofChild = hash({ keys: { ...common, include: anyInclude, inputs: anyHash }, required: ['include'] });

function included(node: Node, at: At, problems: Problems): boolean {
  const items = flatItems(node) ?? [node];
  if (items.length <= MOST_INCLUDES) return true;
  problems.error(node.mark, `${subjectOf(at)} is too long (maximum is ${MOST_INCLUDES})`);
  return false;
}

export const trigger: Keyword<Trigger> = {
  name: 'trigger',
  schema: either(
    [
      [isText, name],
      [
        isHash,
        (node, at, problems) => {
          if (field(node, 'include')) return ofChild(node, at, problems);
          if (!ofProject(node, at, problems)) return false;
          if (field(node, 'project')) return true;
          problems.error(node.mark, `${subjectOf(at)} must specify either project or include`);
          return false;
        },
      ],
    ],
    'has to be either a string or a hash',
  ),
  normalise: (node, context) => {
    const include = field(node, 'include');
    const forward = field(node, 'forward');
    const inputs = field(node, 'inputs');
    if (include) includeEntries(include, context);
    return {
      project: textOf(node) ?? textOf(field(node, 'project')),
      branch: textOf(field(node, 'branch')),
      include: include
        ? (flatItems(include) ?? [include]).map((item) =>
            isText(item) ? { local: item.text } : (plainValue(item) as TriggerInclude),
          )
        : null,
      strategy: textOf(field(node, 'strategy')) as Trigger['strategy'],
      forward: {
        yamlVariables: booleanOf(field(forward, 'yaml_variables')) ?? true,
        pipelineVariables: booleanOf(field(forward, 'pipeline_variables')) ?? false,
      },
      inputs: inputs ? (plainValue(inputs) as Record<string, unknown>) : null,
    };
  },
  lint: ({ name: job, config, markOf }, problems) => {
    // No runner runs a job that mirrors another project's pipeline, either.
    if (config.trigger === undefined && config.needs?.upstream == null) return;
    const foreign = RUNNER_KEYWORDS.filter((keyword) => config[keyword] !== undefined);
    const [first] = foreign;
    if (first) problems.error(markOf(first), `jobs:${job} config contains unknown keys: ${foreign.join(', ')}`);
    if (config.when === 'delayed') {
      problems.error(markOf('when'), `jobs:${job} when should be one of: on_success, on_failure, always, manual`);
    }
    if (config.parallel?.kind === 'number') {
      problems.error(markOf('parallel'), `jobs:${job}:parallel config cannot use "parallel: <number>".`);
    }
    if ((config.allow_failure?.exitCodes.length ?? 0) > 0) {
      problems.error(markOf('allow_failure'), `jobs:${job} allow failure should be a boolean value`);
    }
  },
};
