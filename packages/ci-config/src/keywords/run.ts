/** `run`: steps of a job instead of its script: scripts, and functions that the runner fetches. */
import { plainValue } from '../yaml/plain.ts';
import type { Keyword } from './keyword.ts';
import { entriesOf, field, textOf, textsOf } from './read.ts';
import { either, flatItems, hash, isHash, isText, name, type Schema, subjectOf, textOrTexts, word } from './schema.ts';

/** As the runner gets it. */
export type RunStep = Readonly<Record<string, unknown>> & { readonly name: string };

const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const KINDS = ['script', 'step', 'func'] as const;
const FORBIDDEN = ['script', 'before_script', 'after_script'] as const;

const stepName: Schema = (node, at, problems) => {
  if (isText(node) && NAME.test(node.text)) return true;
  problems.error(
    node.mark,
    `${subjectOf(at)} must start with a letter or underscore, and have letters, digits and underscores only`,
  );
  return false;
};
const anyHash: Schema = (node, at, problems) => {
  if (isHash(node)) return true;
  problems.error(node.mark, `${subjectOf(at)} should be a hash`);
  return false;
};
const environment: Schema = (node, at, problems) => {
  if (!anyHash(node, at, problems) || !isHash(node)) return false;
  const here = { path: `${at.path}:${at.noun}`, noun: '' };
  return [...node.entries]
    .map(([key, { value }]) => word(value, { ...here, noun: key, chosen: true }, problems))
    .every(Boolean);
};
const reference: Schema = either(
  [
    [isText, name],
    [isHash, anyHash],
  ],
  'should be a hash or a string',
);
const shape = hash({
  keys: { name: stepName, script: textOrTexts, step: reference, func: reference, env: environment, inputs: anyHash },
  required: ['name'],
});
const step: Schema = (node, at, problems) => {
  if (!shape(node, at, problems)) return false;
  const given = KINDS.filter((kind) => field(node, kind));
  if (given.length === 1) return true;
  problems.error(node.mark, `${at.path} config must use exactly one of these keys: ${KINDS.join(', ')}`);
  return false;
};

export const run: Keyword<RunStep[]> = {
  name: 'run',
  schema: (node, at, problems) => {
    const items = node.kind === 'sequence' ? flatItems(node) : null;
    if (!items || items.length === 0) {
      problems.error(node.mark, `${subjectOf(at)} should be an array of hashes`);
      return false;
    }
    const here = { path: `${at.path}:step`, noun: 'config' };
    return items.map((item) => step(item, here, problems)).every(Boolean);
  },
  normalise: (node) =>
    (flatItems(node) ?? []).map((item) => {
      const env = field(item, 'env');
      const plain = plainValue(item) as object;
      const texts = Object.fromEntries(entriesOf(env).map(([key, value]) => [key, textOf(value) ?? '']));
      const script = field(item, 'script');
      return {
        ...plain,
        name: textOf(field(item, 'name')) ?? '',
        ...(script ? { script: textsOf(script).join('\n') } : {}),
        ...(env ? { env: texts } : {}),
      };
    }),
  lint: ({ name: job, config, markOf }, problems) => {
    if (config.run === undefined) return;
    const clashing = FORBIDDEN.filter((key) => config[key] !== undefined);
    if (clashing.length === 0) return;
    problems.error(markOf('run'), `jobs:${job} config these keys cannot be used together: run, ${clashing.join(', ')}`);
  },
};
