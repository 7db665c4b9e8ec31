/** `resource_group`: jobs of one group run one at a time; variables are expanded when the job is compiled. */

import { environmentName } from './environment-name.ts';
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';

export const resourceGroup: Keyword<string> = {
  name: 'resource_group',
  schema: environmentName,
  normalise: (node) => textOf(node) ?? '',
};
