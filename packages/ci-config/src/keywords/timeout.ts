/** `timeout`: how long a job may run, in seconds. */
import type { Keyword } from './keyword.ts';
import { secondsOf } from './read.ts';
import { duration } from './schema.ts';

const MONTH = 30 * 24 * 3600;

export const timeout: Keyword<number> = {
  name: 'timeout',
  inheritable: true,
  schema: duration(MONTH),
  normalise: (node) => secondsOf(node) ?? 0,
};
