/** `stage`: which of the stages a job belongs to; that it exists is checked where the stages are known. */
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import { noLonger, text } from './schema.ts';

export const stage: Keyword<string> = {
  name: 'stage',
  schema: noLonger(255, text),
  normalise: (node) => textOf(node) ?? '',
};
