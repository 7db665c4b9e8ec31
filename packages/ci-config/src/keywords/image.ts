/** `image`: the container image of a job, kept for executors that use one. */
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { entriesOf, field, textOf, textsOf } from './read.ts';
import {
  either,
  flatItems,
  hash,
  isHash,
  isText,
  name,
  noLonger,
  oneOf,
  type Schema,
  textOrTexts,
  texts,
  word,
} from './schema.ts';

type DockerOptions = { readonly platform?: string; readonly user?: string };
/** What executors of one kind are told beside the image. */
export type ExecutorOptions = { readonly docker?: DockerOptions; readonly kubernetes?: { readonly user?: string } };
export type Image = {
  readonly name: string;
  readonly entrypoint: readonly string[] | null;
  readonly pullPolicy: readonly string[];
  readonly options: ExecutorOptions;
};

const policy = oneOf(['always', 'if-not-present', 'never']);
const pullPolicy: Schema = (node, at, problems) => {
  if (!textOrTexts(node, at, problems)) return false;
  return (flatItems(node) ?? [node]).every((item) => policy(item, at, problems));
};
const user = noLonger(255, word);

/** The keys that images and services share. */
export const imageKeys: Readonly<Record<string, Schema>> = {
  name,
  entrypoint: texts,
  pull_policy: pullPolicy,
  docker: hash({ keys: { platform: noLonger(64, name), user } }),
  kubernetes: hash({ keys: { user } }),
};

/** What an image or service says to executors; empty for those that say nothing. */
export function executorOptionsOf(node: Node): ExecutorOptions {
  const kinds = (['docker', 'kubernetes'] as const).flatMap((kind) => {
    const options = entriesOf(field(node, kind)).map(([key, value]) => [key, textOf(value) ?? '']);
    return options.length > 0 ? [[kind, Object.fromEntries(options)]] : [];
  });
  return Object.fromEntries(kinds);
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
          keys: imageKeys,
          required: ['name'],
          unsupported: ['ports'],
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
      options: executorOptionsOf(node),
    };
  },
};
