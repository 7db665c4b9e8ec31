/** `image`: the container image of a job, kept for executors that use one. */
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { entriesOf, field, textOf, textsOf } from './read.ts';
import { either, hash, isHash, isText, name, type Schema, text, textOrTexts, texts, word } from './schema.ts';

export type DockerOptions = { readonly platform?: string; readonly user?: string };
export type Image = {
  readonly name: string;
  readonly entrypoint: readonly string[] | null;
  readonly pullPolicy: readonly string[];
  readonly docker: DockerOptions;
};

export const dockerSchema: Schema = hash({ keys: { platform: text, user: word } });

export function dockerOf(node: Node | undefined): DockerOptions {
  return Object.fromEntries(entriesOf(node).map(([key, value]) => [key, textOf(value) ?? '']));
}

export const image: Keyword<Image> = {
  name: 'image',
  inheritable: true,
  schema: either(
    [
      [isText, name],
      [
        isHash,
        hash({
          keys: { name, entrypoint: texts, pull_policy: textOrTexts, docker: dockerSchema },
          required: ['name'],
          unsupported: ['ports', 'kubernetes'],
        }),
      ],
    ],
    'should be a hash or a string',
  ),
  normalise: (node) => {
    const entrypoint = field(node, 'entrypoint');
    return {
      name: textOf(node) ?? textOf(field(node, 'name')) ?? '',
      entrypoint: entrypoint ? textsOf(entrypoint) : null,
      pullPolicy: textsOf(field(node, 'pull_policy')),
      docker: dockerOf(field(node, 'docker')),
    };
  },
};
