/** `dependencies`: the jobs whose artifacts are fetched; absent means all of earlier stages, or those in `needs`. */
import type { Keyword } from './keyword.ts';
import { textsOf } from './read.ts';
import { texts } from './schema.ts';

export const dependencies: Keyword<string[]> = {
  name: 'dependencies',
  schema: texts,
  normalise: textsOf,
  lint: ({ name, config, markOf }, problems) => {
    if (!config.dependencies?.length || !config.needs?.jobs.length) return;
    const needed = new Set(config.needs.jobs.map((need) => need.job));
    const missing = config.dependencies.filter((dependency) => !needed.has(dependency));
    if (missing.length === 0) return;
    problems.error(
      markOf('dependencies'),
      `jobs:${name} dependencies the ${missing.join(', ')} should be part of needs`,
    );
  },
};
