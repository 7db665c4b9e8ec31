/** `variables`: of the configuration, a job, a rule. */
import type { Variable } from '../expand/variables.ts';
import type { Node } from '../yaml/tree.ts';
import type { Keyword } from './keyword.ts';
import { booleanOf, entriesOf, field, textOf, textsOf } from './read.ts';
import { boolean, hash, isHash, isScalar, keyAt, type Schema, subjectOf, texts, word } from './schema.ts';

/** A variable of the configuration. Description and options are for the form that starts a pipeline by hand. */
export type YamlVariable = Variable & {
  readonly raw: boolean;
  readonly description?: string;
  readonly options?: readonly string[];
};

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const described = (keys: Readonly<Record<string, Schema>>) => hash({ keys, unknown: 'uses invalid data keys' });
const jobVariable = described({ value: word, expand: boolean });
/** Of a rule or a service: a value and nothing about it. */
const plainVariable: Schema = (node, at, problems) => {
  problems.error(node.mark, `${subjectOf(at)} must be a string`);
  return false;
};
const rootVariable = described({ value: word, expand: boolean, description: word, options: texts });

function variablesSchema(full: Schema): Schema {
  return (node, at, problems) => {
    if (!isHash(node)) {
      problems.error(node.mark, `${subjectOf(at)} should be a hash of key value pairs`);
      return false;
    }
    let fine = true;
    for (const [key, { keyMark, value }] of node.entries) {
      const here = keyAt(at, key);
      if (!NAME.test(key)) problems.warn(keyMark, `${here.path} ${key}: a shell cannot use a variable of this name`);
      if (isHash(value)) fine = full(value, { path: `${here.path}:${key}`, noun: 'config' }, problems) && fine;
      else if (!isScalar(value) || value.value === null) {
        problems.error(value.mark, `${here.path}:${key} variable definition must be either a string or a hash`);
        fine = false;
      }
    }
    return fine;
  };
}

export function variablesOf(node: Node | undefined): YamlVariable[] {
  return entriesOf(node).map(([key, value]) => {
    if (value.kind === 'scalar') return { key, value: value.text, raw: false };
    const description = textOf(field(value, 'description'));
    const options = field(value, 'options');
    return {
      key,
      value: textOf(field(value, 'value')) ?? '',
      raw: booleanOf(field(value, 'expand')) === false,
      ...(description === null ? {} : { description }),
      ...(options ? { options: textsOf(options) } : {}),
    };
  });
}

export const plainVariablesSchema: Schema = variablesSchema(plainVariable);

export const variables: Keyword<YamlVariable[]> = {
  name: 'variables',
  schema: variablesSchema(jobVariable),
  normalise: variablesOf,
};

/** `variables` at the root, which may describe themselves. */
export const rootVariables: Keyword<YamlVariable[]> = {
  name: 'variables',
  schema: variablesSchema(rootVariable),
  normalise: (node, { at, problems }) => {
    const list = variablesOf(node);
    for (const { key, value, options } of list) {
      if (!options || options.includes(value)) continue;
      problems.error(node.mark, `${at.path}:${key} config value must be present in options: ${options.join(', ')}`);
    }
    return list;
  },
};
