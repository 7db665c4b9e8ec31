/** `when`: what a job waits for. */
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import { oneOf } from './schema.ts';

export type When = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed' | 'never';

const JOB_WHEN = ['on_success', 'on_failure', 'always', 'manual', 'delayed'] as const;
export const RULE_WHEN = ['on_success', 'on_failure', 'always', 'never', 'manual', 'delayed'] as const;

export const when: Keyword<When> = {
  name: 'when',
  schema: oneOf(JOB_WHEN),
  normalise: (node) => (textOf(node) ?? 'on_success') as When,
  lint: ({ name, config, markOf }, problems) => {
    if (config.when === 'delayed' && config.start_in === undefined) {
      problems.error(markOf('when'), `jobs:${name} start in should be a duration`);
    }
  },
};
