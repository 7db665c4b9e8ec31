/** The value that `only` and `except` share. */
import type { Expression } from '../rules/parser.ts';
import type { Keyword } from './keyword.ts';
import { field, textsOf } from './read.ts';
import { expressionOf } from './rule.ts';
import { either, flatItems, hash, isHash, isList, isText, text, textOrTexts, texts } from './schema.ts';

export type Policy = {
  readonly refs?: readonly string[];
  readonly variables?: readonly { readonly expression: Expression }[];
  readonly changes?: readonly string[];
};

export function policyKeyword(name: string): Keyword<Policy> {
  return {
    name,
    schema: either(
      [
        [isText, text],
        [isList, texts],
        [isHash, hash({ keys: { refs: textOrTexts, variables: texts, changes: texts }, unsupported: ['kubernetes'] })],
      ],
      'has to be either an array of conditions or a hash',
    ),
    normalise: (node, context) => {
      if (!isHash(node)) return { refs: textsOf(node) };
      const refs = field(node, 'refs');
      const variables = field(node, 'variables');
      const changes = field(node, 'changes');
      return {
        ...(refs ? { refs: textsOf(refs) } : {}),
        ...(variables
          ? {
              variables: (flatItems(variables) ?? []).flatMap(
                (item) => expressionOf(item, context.at.path, context) ?? [],
              ),
            }
          : {}),
        ...(changes ? { changes: textsOf(changes) } : {}),
      };
    },
  };
}
