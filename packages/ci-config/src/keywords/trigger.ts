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
  keyAt,
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
  /** For the configuration of the other project; those of a child pipeline are of the file that it includes. */
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

/** `inputs` beside `include` are those of the one file that is included: a list sets them for each. */
function ofOneFile(node: Node, at: At, problems: Problems): boolean {
  const inputs = field(node, 'inputs');
  const include = field(node, 'include');
  if (!inputs || !include) return true;
  const [first, ...others] = flatItems(include) ?? [include];
  const wrong =
    others.length > 0
      ? 'can only be set for one included file; set the inputs of each file in its entry'
      : first && field(first, 'inputs')
        ? 'and include:inputs cannot be used together'
        : null;
  if (wrong !== null) problems.error(inputs.mark, `${subjectOf(keyAt(at, 'inputs'))} ${wrong}`);
  return wrong === null;
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** What the child includes, with the inputs that stand beside it. */
function includesOf(include: Node, inputs: Trigger['inputs']): TriggerInclude[] {
  return (flatItems(include) ?? [include]).map((item) => {
    const given = inputs === null ? {} : { inputs };
    if (isText(item)) return { [isAddress(item.text) ? 'remote' : 'local']: item.text, ...given };
    return { ...(plainValue(item) as TriggerInclude), ...given };
  });
}

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
          if (field(node, 'include')) return ofChild(node, at, problems) && ofOneFile(node, at, problems);
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
    const own = field(node, 'inputs');
    const inputs = own ? (plainValue(own) as Record<string, unknown>) : null;
    if (include) includeEntries(include, context);
    return {
      project: textOf(node) ?? textOf(field(node, 'project')),
      branch: textOf(field(node, 'branch')),
      include: include ? includesOf(include, inputs) : null,
      strategy: textOf(field(node, 'strategy')) as Trigger['strategy'],
      forward: {
        yamlVariables: booleanOf(field(forward, 'yaml_variables')) ?? true,
        pipelineVariables: booleanOf(field(forward, 'pipeline_variables')) ?? false,
      },
      inputs: include ? null : inputs,
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
