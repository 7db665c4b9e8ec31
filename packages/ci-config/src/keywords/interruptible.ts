/** `interruptible`: whether a newer pipeline may cancel the job. */
import type { Keyword } from './keyword.ts';
import { booleanOf } from './read.ts';
import { boolean } from './schema.ts';

export const interruptible: Keyword<boolean> = {
  name: 'interruptible',
  inheritable: true,
  schema: boolean,
  normalise: (node) => booleanOf(node) ?? false,
};
