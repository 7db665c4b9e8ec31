/** `allow_failure`: whether the pipeline goes on when the job fails, always or for some exit codes. */
import type { Keyword } from './keyword.ts';
import { booleanOf, field, numberOf, numbersOf } from './read.ts';
import { boolean, either, entry, hash, integer, isHash, isList, listOf, type Schema } from './schema.ts';

export type AllowFailure = { readonly allowed: boolean; readonly exitCodes: readonly number[] };

const code = integer(0, 2 ** 31 - 1);
export const exitCodesSchema = either(
  [
    [(node) => numberOf(node) !== null, code],
    [isList, listOf(code, 'should be an array of integers or an integer')],
  ],
  'should be an array of integers or an integer',
);

const byCodes = entry(hash({ keys: { exit_codes: exitCodesSchema }, required: ['exit_codes'] }));
/** In a rule the ecosystem names the plain value only. */
export const ruleAllowFailure: Schema = (node, at, problems) => (isHash(node) ? byCodes : boolean)(node, at, problems);

export const allowFailure: Keyword<AllowFailure> = {
  name: 'allow_failure',
  attribute: true,
  schema: either(
    [
      [isHash, byCodes],
      [(node) => booleanOf(node) !== null, boolean],
    ],
    'should be a hash or a boolean value',
  ),
  normalise: (node) => ({ allowed: booleanOf(node) ?? false, exitCodes: numbersOf(field(node, 'exit_codes')) }),
};
