/** `inherit`: which defaults and root variables a job takes over. */
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, field, textsOf } from './read.ts';
import { boolean, either, hash, isList, isScalar, texts } from './schema.ts';

/** All, none, or those named. */
export type Inherited = boolean | readonly string[];
export type Inherit = { readonly default?: Inherited; readonly variables?: Inherited };

const rule = either(
  [
    [isScalar, boolean],
    [isList, texts],
  ],
  'should be a bool or array of strings',
);

export const inherit: Keyword<Inherit> = {
  name: 'inherit',
  schema: hash({ keys: { default: rule, variables: rule } }),
  normalise: (node) => ({ ...inherited(node, 'default'), ...inherited(node, 'variables') }),
};

function inherited(node: Node, key: 'default' | 'variables'): Inherit {
  const value = field(node, key);
  return value ? { [key]: booleanOf(value) ?? textsOf(value) } : {};
}
