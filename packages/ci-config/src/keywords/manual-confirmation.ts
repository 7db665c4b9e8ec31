/** `manual_confirmation`: what people are asked before they start a manual job. */
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import { name as nonEmpty } from './schema.ts';

export const manualConfirmation: Keyword<string> = {
  name: 'manual_confirmation',
  schema: nonEmpty,
  normalise: (node) => textOf(node) ?? '',
};
