/** `stages`: their order; `.pre` is always the first and `.post` the last. */
import type { Keyword } from './keyword.ts';
import { textsOf } from './read.ts';
import { texts } from './schema.ts';

const PRE = '.pre';
const POST = '.post';
const DEFAULT = ['build', 'test', 'deploy'];

export const DEFAULT_STAGE = 'test';
/** Jobs in these alone make no pipeline. */
export const EDGE_STAGES: ReadonlySet<string> = new Set([PRE, POST]);

export function withEdges(names: readonly string[] = DEFAULT): string[] {
  return [PRE, ...new Set(names.filter((name) => !EDGE_STAGES.has(name))), POST];
}

export const stages: Keyword<string[]> = {
  name: 'stages',
  schema: texts,
  normalise: (node) => withEdges(textsOf(node)),
};
