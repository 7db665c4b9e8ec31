/** `allow_failure`: whether the pipeline goes on when the job fails, always or for some exit codes. */
import type { Keyword } from './keyword.ts';
import { booleanOf, field, numbersOf } from './read.ts';
import { boolean, either, hash, integer, isHash, isList, isScalar, listOf } from './schema.ts';

export type AllowFailure = { readonly allowed: boolean; readonly exitCodes: readonly number[] };

const code = integer(0, 2 ** 31 - 1);
export const exitCodesSchema = either(
  [
    [isScalar, code],
    [isList, listOf(code, 'should be an array of integers or an integer')],
  ],
  'should be an array of integers or an integer',
);

export const allowFailure: Keyword<AllowFailure> = {
  name: 'allow_failure',
  schema: either(
    [
      [isHash, hash({ keys: { exit_codes: exitCodesSchema }, required: ['exit_codes'] })],
      [isScalar, boolean],
    ],
    'should be a hash or a boolean value',
  ),
  normalise: (node) => ({ allowed: booleanOf(node) ?? false, exitCodes: numbersOf(field(node, 'exit_codes')) }),
};
