/** `tags`: what a runner must offer; variables in them are expanded when the job is compiled. */
import type { Keyword } from './keyword.ts';
import { textsOf } from './read.ts';
import { subjectOf, texts } from './schema.ts';

const LIMIT = 50;

export const tags: Keyword<string[]> = {
  name: 'tags',
  inheritable: true,
  schema: (node, at, problems) => {
    if (!texts(node, at, problems)) return false;
    if (textsOf(node).length < LIMIT) return true;
    problems.error(node.mark, `${subjectOf(at)} must be less than the limit of ${LIMIT} tags`);
    return false;
  },
  normalise: textsOf,
};
