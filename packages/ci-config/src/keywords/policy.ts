/** The value that `only` and `except` share. */
import type { Expression } from '../rules/parser.ts';
import { compilePattern, splitPattern } from '../rules/regex.ts';
import type { Keyword } from './keyword.ts';
import { field, textsOf } from './read.ts';
import { expressionOf, paths } from './rule.ts';
import {
  either,
  flatItems,
  hash,
  isHash,
  isList,
  isText,
  oneOf,
  type Schema,
  subjectOf,
  textOrTexts,
  texts,
} from './schema.ts';

export type Policy = {
  readonly refs?: readonly string[];
  readonly variables?: readonly { readonly expression: Expression }[];
  readonly changes?: readonly string[];
  /** Only where a cluster is connected. */
  readonly kubernetes?: true;
};

/** Names of refs and of kinds of pipelines, and regular expressions. */
const refs: Schema = (node, at, problems) => {
  if (!textOrTexts(node, at, problems)) return false;
  return (flatItems(node) ?? [node]).every((item) => {
    const written = isText(item) ? item.text : '';
    const parts = splitPattern(patternAndPath(written).pattern);
    if (!parts || typeof compilePattern(parts.source, parts.flags) !== 'string') return true;
    const expected = 'should be an array of strings or regular expressions using re2 syntax';
    problems.error(item.mark, `${subjectOf(at)} ${expected}`);
    return false;
  });
};

/** `main@group/project`: a name, and the only project that it counts in. */
export function patternAndPath(written: string): { readonly pattern: string; readonly path: string | null } {
  // An expression may hold an `@` itself.
  const [, pattern = written, path = null] = /^(\/(?:[^/\\]|\\.)+\/[ismU]*|[^@]*)@(.+)$/s.exec(written) ?? [];
  return { pattern, path };
}

export function policyKeyword(name: string): Keyword<Policy> {
  return {
    name,
    schema: either(
      [
        [isText, refs],
        [isList, refs],
        [isHash, hash({ keys: { refs, variables: texts, changes: paths, kubernetes: oneOf(['active']) } })],
      ],
      'has to be either an array of conditions or a hash',
    ),
    normalise: (node, context) => {
      if (!isHash(node)) return { refs: textsOf(node) };
      const named = field(node, 'refs');
      const variables = field(node, 'variables');
      const changes = field(node, 'changes');
      return {
        ...(named ? { refs: textsOf(named) } : {}),
        ...(variables
          ? {
              variables: (flatItems(variables) ?? []).flatMap(
                (item) => expressionOf(item, context.at.path, context) ?? [],
              ),
            }
          : {}),
        ...(changes ? { changes: textsOf(changes) } : {}),
        ...(field(node, 'kubernetes') ? { kubernetes: true as const } : {}),
      };
    },
  };
}
