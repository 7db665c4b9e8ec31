/** `parallel`: how many instances of a job run, as a number or a matrix of variables. */
import type { Problems } from '../diagnostics.ts';
import type { MappingNode, Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { entriesOf, field, numberOf, textsOf } from './read.ts';
import {
  type At,
  either,
  flatItems,
  hash,
  integer,
  isHash,
  isList,
  isScalar,
  isText,
  keyAt,
  listOf,
  type Schema,
  subjectOf,
} from './schema.ts';

export type MatrixEntry = ReadonlyMap<string, readonly string[]>;
export type Parallel =
  | { readonly kind: 'number'; readonly total: number }
  | { readonly kind: 'matrix'; readonly matrix: readonly MatrixEntry[] };

// No fractions: of a version 3.10 nothing but 3.1 would be left.
const isValue = (node: Node): boolean => isText(node) || (isScalar(node) && Number.isInteger(node.value));
const value: Schema = (node, at, problems) => {
  if (isValue(node)) return true;
  problems.error(node.mark, `${subjectOf(at)} should be a string or an array of strings`);
  return false;
};
const values = either(
  [
    [isScalar, value],
    [isList, listOf(value, 'should be a string or an array of strings')],
  ],
  'should be a string or an array of strings',
);

const matrixEntry: Schema = (node, at, problems) => {
  if (!isHash(node) || node.entries.size === 0) {
    problems.error(node.mark, `${subjectOf(at)} should be an array of hashes`);
    return false;
  }
  return matrixValues(node, at, problems);
};

function matrixValues(node: MappingNode, at: At, problems: Problems): boolean {
  let fine = true;
  for (const [key, { value }] of node.entries) {
    fine = values(value, keyAt(at, key), problems) && fine;
    if (flatItems(value)?.length === 0 || (isText(value) && value.text.trim() === '')) {
      problems.error(value.mark, `${subjectOf(at)} ${key} should not be empty`);
      fine = false;
    }
  }
  return fine;
}

export const matrixSchema: Schema = listOf(matrixEntry, 'should be an array of hashes');

export function matrixOf(node: Node): MatrixEntry[] {
  return (flatItems(node) ?? []).map((entry) => new Map(entriesOf(entry).map(([key, value]) => [key, textsOf(value)])));
}

/** How many instances a matrix makes, without making them. */
export function matrixSize(matrix: readonly MatrixEntry[]): number {
  return matrix.reduce(
    (sum, entry) => sum + [...entry.values()].reduce((product, list) => product * list.length, 1),
    0,
  );
}

export const parallel: Keyword<Parallel> = {
  name: 'parallel',
  schema: either(
    [
      [isHash, hash({ keys: { matrix: matrixSchema }, required: ['matrix'] })],
      [isScalar, integer(1, Number.MAX_SAFE_INTEGER)],
    ],
    'should be an integer or a hash',
  ),
  normalise: (node, { at, problems, limits }) => {
    const matrix = field(node, 'matrix');
    const result: Parallel = matrix
      ? { kind: 'matrix', matrix: matrixOf(matrix) }
      : { kind: 'number', total: numberOf(node) ?? 1 };
    const used = result.kind === 'matrix' ? matrixSize(result.matrix) : result.total;
    if (used <= limits.parallel) return result;
    const use = { name: 'parallel', value: limits.parallel, used } as const;
    const message = matrix
      ? `${at.path}:matrix config generates too many jobs (maximum is ${use.value})`
      : `${at.path} config must be less than or equal to ${use.value}`;
    problems.error(node.mark, message, use);
    return { kind: 'number', total: 1 };
  },
};
