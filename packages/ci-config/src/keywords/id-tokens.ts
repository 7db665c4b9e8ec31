/** `id_tokens`: JSON web tokens that the job proves to others with who it is. */
import { isMapping } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { entriesOf, field, textsOf } from './read.ts';
import { hash, isHash, keyAt, type Schema, subjectOf, textOrTexts } from './schema.ts';

/** `audience` may refer to variables, which are expanded when the job starts. */
export type IdToken = { readonly name: string; readonly audience: readonly string[] };

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const token = hash({ keys: { aud: textOrTexts }, required: ['aud'] });

/** A hash by names of variables, each value with a schema of its own. */
export function byVariable(each: Schema): Schema {
  return (node, at, problems) => {
    if (!isHash(node)) {
      problems.error(node.mark, `${subjectOf(at)} should be a hash`);
      return false;
    }
    const fine = [...node.entries].map(([name, { keyMark, value }]) => {
      const here = { path: keyAt(at, name).path, noun: 'config' };
      const path = `${here.path}:${name}`;
      if (NAME.test(name)) return each(value, { ...here, path }, problems);
      problems.error(keyMark, `${path} is not a valid name of a variable`);
      return false;
    });
    return fine.every(Boolean);
  };
}

export const idTokens: Keyword<IdToken[]> = {
  name: 'id_tokens',
  inheritable: true,
  schema: byVariable(token),
  normalise: (node) =>
    isMapping(node) ? entriesOf(node).map(([name, value]) => ({ name, audience: textsOf(field(value, 'aud')) })) : [],
};
