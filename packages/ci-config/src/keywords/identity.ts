/** `identity`: signs the job in to a cloud. Refused: jobs prove who they are with `id_tokens` here. */
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import { oneOf } from './schema.ts';

const known = oneOf(['google_cloud']);

export const identity: Keyword<string> = {
  name: 'identity',
  inheritable: true,
  schema: (node, at, problems) => {
    if (!known(node, at, problems)) return false;
    problems.error(node.mark, `${at.path}: this instance has no identity federation with clouds, use id_tokens`);
    return false;
  },
  normalise: (node) => textOf(node) ?? '',
};
