/** The value that script keywords share: commands, in lists nested by anchors and `!reference`. */
import type { Keyword } from './keyword.ts';
import { textsOf } from './read.ts';
import { either, isList, isText, listOf, type Schema, subjectOf, text } from './schema.ts';

const EXPECTED = 'should be a string or a nested array of strings up to 10 levels deep';
const line: Schema = (node, at, problems) => {
  if (isText(node)) return true;
  problems.error(node.mark, `${subjectOf(at)} ${EXPECTED}`);
  return false;
};

export const scriptSchema: Schema = either(
  [
    [isText, text],
    [isList, listOf(line, EXPECTED)],
  ],
  EXPECTED,
);

export function scriptKeyword(options: Pick<Keyword<string[]>, 'name' | 'inheritable' | 'lint'>): Keyword<string[]> {
  return { ...options, schema: scriptSchema, normalise: textsOf };
}
