/** `needs`: the jobs that a job waits for instead of the stages before it, and artifacts of other pipelines. */

import type { Mark } from '../diagnostics.ts';
import { limitSentence } from '../limits.ts';
import type { Node } from '../yaml/tree.ts';
import type { Keyword, KeywordContext } from './keyword.ts';
import { type MatrixEntry, matrixOf, matrixSchema, matrixSize } from './parallel.ts';
import { booleanOf, field, textOf } from './read.ts';
import { boolean, either, flatItems, hash, isHash, isText, listOf, name, type Schema, subjectOf } from './schema.ts';

export type Need = {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
  /** Which instances of a `parallel:matrix` job; null means all. */
  readonly matrix: readonly MatrixEntry[] | null;
  readonly mark: Mark;
};

/** A job of another pipeline whose artifacts are fetched; it is not waited for. Variables in it are expanded when the job starts. */
export type NeedElsewhere =
  | { readonly kind: 'project'; readonly project: string; readonly ref: string; readonly job: string }
  | { readonly kind: 'pipeline'; readonly pipeline: string; readonly job: string };

export type Needs = {
  readonly jobs: readonly Need[];
  readonly elsewhere: readonly NeedElsewhere[];
  /** Project whose latest pipeline says how the job ends. */
  readonly upstream: string | null;
};

/** Jobs of other projects that one job may need, and jobs of other pipelines. */
const MOST_ELSEWHERE = 5;

const local = hash({
  keys: {
    job: name,
    artifacts: boolean,
    optional: boolean,
    parallel: hash({ keys: { matrix: matrixSchema }, required: ['matrix'] }),
  },
  required: ['job'],
});
const ofProject = hash({
  keys: { project: name, ref: name, job: name, artifacts: boolean },
  required: ['project', 'ref', 'job'],
});
/** The id of the pipeline is text, mostly a variable. */
const ofPipeline = hash({ keys: { pipeline: name, job: name, artifacts: boolean }, required: ['pipeline'] });
const upstream = hash({ keys: { pipeline: name }, required: ['pipeline'] });

const need: Schema = (node, at, problems) => {
  const here = { path: `${at.path}:need`, noun: 'config' };
  if (!isHash(node)) return name(node, here, problems);
  if (node.entries.has('project')) return ofProject(node, here, problems);
  if (!node.entries.has('pipeline')) return local(node, here, problems);
  return (node.entries.has('job') ? ofPipeline : upstream)(node, here, problems);
};

/** A need that is not in a list. */
const one: Schema = (node, at, problems) => {
  if (!isHash(node) || node.entries.size > 0) return need(node, at, problems);
  problems.error(node.mark, `${subjectOf(at)} can not be an empty hash`);
  return false;
};

export const needsSchema: Schema = either(
  [
    [(node) => node.kind === 'sequence', listOf(need, 'should be an array')],
    [isText, name],
    [isHash, one],
  ],
  'can only be a hash or an array',
);

function elsewhereOf(item: Node): NeedElsewhere[] {
  const job = textOf(field(item, 'job'));
  // Nothing is waited for and nothing is fetched.
  if (job === null || booleanOf(field(item, 'artifacts')) === false) return [];
  const project = textOf(field(item, 'project'));
  if (project !== null) return [{ kind: 'project', project, ref: textOf(field(item, 'ref')) ?? '', job }];
  return [{ kind: 'pipeline', pipeline: textOf(field(item, 'pipeline')) ?? '', job }];
}

export function needsOf(node: Node, context: KeywordContext): Needs {
  const { at, problems } = context;
  const items = flatItems(node) ?? [node];
  const foreign = items.filter((item) => field(item, 'project') ?? field(item, 'pipeline'));
  const elsewhere = foreign.flatMap(elsewhereOf);
  for (const kind of ['project', 'pipeline'] as const) {
    if (elsewhere.filter((each) => each.kind === kind).length <= MOST_ELSEWHERE) continue;
    problems.error(node.mark, `${subjectOf(at)} must be less than or equal to ${MOST_ELSEWHERE}`);
  }
  const mirrored = foreign.find((item) => !field(item, 'job'));
  return {
    jobs: localNeeds(
      node,
      items.filter((item) => !foreign.includes(item)),
      context,
    ),
    elsewhere,
    upstream: textOf(field(mirrored, 'pipeline')),
  };
}

/** The job's name in the path of its keyword, `jobs:NAME:needs` or `jobs:NAME:rules:rule`. */
const jobOf = (path: string): string => path.replace(/^jobs:/, '').replace(/:(?:needs|rules:rule)$/, '');

function localNeeds(node: Node, items: readonly Node[], { at, problems, limits }: KeywordContext): Need[] {
  const needs = items.map((item): Need => {
    const matrix = field(field(item, 'parallel'), 'matrix');
    return {
      job: textOf(item) ?? textOf(field(item, 'job')) ?? '',
      artifacts: booleanOf(field(item, 'artifacts')) ?? true,
      optional: booleanOf(field(item, 'optional')) ?? false,
      matrix: matrix ? matrixOf(matrix) : null,
      mark: item.mark,
    };
  });
  if (needs.length > limits.needs) {
    const use = { name: 'needs', value: limits.needs, used: needs.length } as const;
    const message =
      `${jobOf(at.path)}: one job can only need ${use.value} others, but you have listed ${use.used}. ` +
      'See needs keyword documentation for more details';
    problems.error(node.mark, message, use);
    return [];
  }
  for (const { matrix, mark } of needs) {
    const used = matrix ? matrixSize(matrix) : 0;
    if (used <= limits.parallel) continue;
    const use = { name: 'parallel', value: limits.parallel, used } as const;
    problems.error(mark, `${subjectOf(at)}: ${limitSentence('needed jobs', use)}`, use);
    return [];
  }
  return needs;
}

export const needs: Keyword<Needs> = {
  name: 'needs',
  schema: needsSchema,
  normalise: needsOf,
  lint: ({ name: job, config, markOf }, problems) => {
    if (config.trigger !== undefined && (config.needs?.elsewhere.length ?? 0) > 0) {
      problems.error(markOf('needs'), `jobs:${job}:needs config uses invalid types: cross_dependency`);
    }
    const plain = (config.needs?.jobs ?? []).filter(({ matrix }) => matrix === null).map((each) => each.job);
    const twice = plain.filter((each, index) => plain.indexOf(each) !== index);
    if (twice.length > 0) {
      problems.error(markOf('needs'), `${job} has the following needs duplicated: ${[...new Set(twice)].join(', ')}.`);
    }
  },
};
