/** `inherit`: which defaults and root variables a job takes over. */
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, field, textsOf } from './read.ts';
import { boolean, either, hash, isList, isScalar, type Schema, texts, textsOfThese } from './schema.ts';

/** All, none, or those named. */
export type Inherited = boolean | readonly string[];
export type Inherit = { readonly default?: Inherited; readonly variables?: Inherited };

/** Keywords that `default` may have. */
const inheritable = [
  'after_script',
  'artifacts',
  'before_script',
  'cache',
  'hooks',
  'id_tokens',
  'identity',
  'image',
  'interruptible',
  'retry',
  'services',
  'tags',
  'timeout',
];

const rule = (list: Schema): Schema =>
  either(
    [
      [isScalar, boolean],
      [isList, list],
    ],
    'should be a bool or array of strings',
  );

export const inherit: Keyword<Inherit> = {
  name: 'inherit',
  schema: hash({ keys: { default: rule(textsOfThese(inheritable)), variables: rule(texts) } }),
  normalise: (node) => ({ ...inherited(node, 'default'), ...inherited(node, 'variables') }),
};

function inherited(node: Node, key: 'default' | 'variables'): Inherit {
  const value = field(node, key);
  return value ? { [key]: booleanOf(value) ?? textsOf(value) } : {};
}
