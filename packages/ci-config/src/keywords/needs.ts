/** `needs`: the jobs that a job waits for instead of the stages before it. */

import type { Mark } from '../diagnostics.ts';
import { limitSentence } from '../limits.ts';
import type { Node } from '../yaml/tree.ts';
import type { Keyword, KeywordContext } from './keyword.ts';
import { type MatrixEntry, matrixOf, matrixSchema, matrixSize } from './parallel.ts';
import { booleanOf, field, textOf } from './read.ts';
import { boolean, either, flatItems, hash, isHash, isText, listOf, name, type Schema } from './schema.ts';

export type Need = {
  readonly job: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
  /** Which instances of a `parallel:matrix` job; null means all. */
  readonly matrix: readonly MatrixEntry[] | null;
  readonly mark: Mark;
};

const local = hash({
  keys: {
    job: name,
    artifacts: boolean,
    optional: boolean,
    parallel: hash({ keys: { matrix: matrixSchema }, required: ['matrix'] }),
  },
  required: ['job'],
});
const need: Schema = (node, at, problems) => {
  if (isHash(node)) {
    const foreign = ['project', 'pipeline'].find((key) => node.entries.has(key));
    if (!foreign) return local(node, at, problems);
    const mark = node.entries.get(foreign)!.keyMark;
    problems.error(mark, `${at.path} ${at.noun}: needs:${foreign} is not supported yet`);
    return false;
  }
  return name(node, at, problems);
};

export const needsSchema: Schema = either(
  [
    [(node) => node.kind === 'sequence', listOf(need, 'should be an array')],
    [isText, name],
    [isHash, need],
  ],
  'can only be a hash or an array',
);

export function needsOf(node: Node, { at, problems, limits }: KeywordContext): Need[] {
  const needs = (flatItems(node) ?? [node]).map((item): Need => {
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
    problems.error(node.mark, `${at.path} ${at.noun}: ${limitSentence('needed jobs', use)}`, use);
    return [];
  }
  for (const { matrix, mark } of needs) {
    const used = matrix ? matrixSize(matrix) : 0;
    if (used <= limits.parallel) continue;
    const use = { name: 'parallel', value: limits.parallel, used } as const;
    problems.error(mark, `${at.path} ${at.noun}: ${limitSentence('needed jobs', use)}`, use);
    return [];
  }
  return needs;
}

export const needs: Keyword<Need[]> = {
  name: 'needs',
  schema: needsSchema,
  normalise: needsOf,
  lint: ({ name: job, config, markOf }, problems) => {
    const plain = (config.needs ?? []).filter(({ matrix }) => matrix === null).map((each) => each.job);
    const twice = plain.filter((each, index) => plain.indexOf(each) !== index);
    if (twice.length > 0) {
      problems.error(markOf('needs'), `${job} has the following needs duplicated: ${[...new Set(twice)].join(', ')}.`);
    }
  },
};
