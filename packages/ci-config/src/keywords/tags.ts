/** `tags`: what a runner must offer; variables in them are expanded when the job is compiled. */
import type { Keyword } from './keyword.ts';
import { textsOf } from './read.ts';
import { texts } from './schema.ts';

const MOST = 50;

export const tags: Keyword<string[]> = {
  name: 'tags',
  inheritable: true,
  schema: texts,
  normalise: textsOf,
  lint: ({ name, config, markOf }, problems) => {
    if ((config.tags?.length ?? 0) > MOST) {
      problems.error(markOf('tags'), `jobs:${name}:tags config must be less than the limit of ${MOST} tags`);
    }
  },
};
