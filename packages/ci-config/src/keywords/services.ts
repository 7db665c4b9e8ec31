/** `services`: containers beside a job, kept for executors that start them. */
import type { Node } from '../yaml/tree.ts';
import { type ExecutorOptions, executorOptionsOf, imageKeys } from './image.ts';
import type { Keyword } from './keyword.ts';
import { field, textOf, textsOf } from './read.ts';
import { either, flatItems, hash, isHash, isText, listOf, name, text, textOrTexts } from './schema.ts';
import { plainVariablesSchema, variablesOf, type YamlVariable } from './variables.ts';

export type Service = {
  readonly name: string;
  readonly alias: string | null;
  readonly entrypoint: readonly string[] | null;
  readonly command: readonly string[] | null;
  readonly pullPolicy: readonly string[];
  readonly variables: readonly YamlVariable[];
  readonly options: ExecutorOptions;
};

const service = either(
  [
    [isText, name],
    [
      isHash,
      hash({
        keys: {
          ...imageKeys,
          alias: text,
          command: textOrTexts,
          variables: plainVariablesSchema,
        },
        required: ['name'],
        unsupported: ['ports'],
      }),
    ],
  ],
  'should be a hash or a string',
);

export const services: Keyword<Service[]> = {
  name: 'services',
  inheritable: true,
  schema: listOf(service, 'should be an array'),
  normalise: (node) => (flatItems(node) ?? []).map(serviceOf),
};

function serviceOf(node: Node): Service {
  const entrypoint = field(node, 'entrypoint');
  const command = field(node, 'command');
  return {
    name: textOf(node) ?? textOf(field(node, 'name')) ?? '',
    alias: textOf(field(node, 'alias')),
    entrypoint: entrypoint ? textsOf(entrypoint) : null,
    command: command ? textsOf(command) : null,
    pullPolicy: textsOf(field(node, 'pull_policy')),
    variables: variablesOf(field(node, 'variables')),
    options: executorOptionsOf(node),
  };
}
