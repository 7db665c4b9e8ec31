/** `coverage`: the expression that finds the coverage in a job's log, as its source without slashes. */
import { compilePattern, splitPattern } from '../rules/regex.ts';
import type { Keyword } from './keyword.ts';
import { textOf } from './read.ts';
import type { Schema } from './schema.ts';
import { subjectOf } from './schema.ts';

const schema: Schema = (node, at, problems) => {
  const source = textOf(node);
  const parts = source === null ? null : splitPattern(source);
  const pattern = parts && compilePattern(parts.source, parts.flags);
  if (typeof pattern === 'object' && pattern !== null) return true;
  const why = pattern === null ? '' : `: ${pattern}`;
  problems.error(node.mark, `${subjectOf(at)} must be a regular expression with re2 syntax${why}`);
  return false;
};

export const coverage: Keyword<string> = {
  name: 'coverage',
  schema,
  normalise: (node) => {
    const parts = splitPattern(textOf(node) ?? '');
    const flags = parts?.flags ? `(?${parts.flags})` : '';
    return flags + (parts?.source ?? '');
  },
};
