/** `start_in`: how long a delayed job waits, in seconds. */
import type { Keyword } from './keyword.ts';
import { secondsOf } from './read.ts';
import { duration } from './schema.ts';

const WEEK = 7 * 24 * 3600;
export const startInSchema = duration(WEEK);

export const startIn: Keyword<number> = {
  name: 'start_in',
  schema: startInSchema,
  normalise: (node) => secondsOf(node) ?? 0,
  lint: ({ name, config, markOf }, problems) => {
    if (config.start_in === undefined || config.rules !== undefined || config.when === 'delayed') return;
    problems.error(markOf('start_in'), `jobs:${name} start in must be blank: it needs when: delayed`);
  },
};
