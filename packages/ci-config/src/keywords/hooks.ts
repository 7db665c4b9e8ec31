/** `hooks`: scripts that the runner starts around its own steps. */
import type { Keyword } from './keyword.ts';
import { field, textsOf } from './read.ts';
import { hash } from './schema.ts';
import { scriptSchema } from './script-lines.ts';

export type Hook = { readonly name: 'pre_get_sources_script'; readonly script: readonly string[] };

export const hooks: Keyword<Hook[]> = {
  name: 'hooks',
  inheritable: true,
  schema: hash({ keys: { pre_get_sources_script: scriptSchema } }),
  normalise: (node) => {
    const script = textsOf(field(node, 'pre_get_sources_script'));
    return script.length > 0 ? [{ name: 'pre_get_sources_script', script }] : [];
  },
};
