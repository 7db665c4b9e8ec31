/** `resource_group`: jobs of one group run one at a time; variables are expanded when the job is compiled. */
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import { name } from './schema.ts';

export const resourceGroup: Keyword<string> = {
  name: 'resource_group',
  schema: name,
  normalise: (node) => textOf(node) ?? '',
};
