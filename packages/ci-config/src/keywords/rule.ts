/** One entry of a `rules` list: shape and value, for jobs, `workflow` and `include`. */
import type { Problems } from '../diagnostics.ts';
import { ExpressionError } from '../rules/lexer.ts';
import { type Expression, parseExpression } from '../rules/parser.ts';
import type { Conditions } from '../rules/rules.ts';
import type { Node } from '../yaml/tree.ts';
import type { KeywordContext } from './keyword.ts';
import { field, textOf, textsOf } from './read.ts';
import {
  atMost,
  either,
  flatItems,
  hash,
  isHash,
  isList,
  isText,
  keyAt,
  listOf,
  type Schema,
  text,
  texts,
} from './schema.ts';

const LISTED = 'should be an array of strings';
const MOST_PATHS = 50;
/** Patterns of paths that a rule or policy looks for. */
export const paths: Schema = atMost(MOST_PATHS, texts, `has too many entries (maximum ${MOST_PATHS})`);
const changes: Schema = either(
  [
    [isList, paths],
    [isHash, hash({ keys: { paths, compare_to: text }, required: ['paths'] })],
  ],
  'should be an array or a hash',
);
const existsIn: Schema = (node, at, problems) => {
  if (!hash({ keys: { paths, project: text, ref: text }, required: ['paths'] })(node, at, problems)) return false;
  if (!field(node, 'ref') || field(node, 'project')) return true;
  problems.error(node.mark, `${at.path} ${at.noun} \`project\` must be specified with \`ref\``);
  return false;
};
const exists: Schema = either(
  [
    [isList, paths],
    [isText, text],
    [isHash, existsIn],
  ],
  LISTED,
);
// What is in the text is judged when it is parsed, so that the message can name the character.
const condition: Schema = (node, at, problems) => {
  if (isText(node)) return true;
  problems.error(node.mark, `${at.path} ${at.noun} invalid expression syntax`);
  return false;
};

export function ruleListSchema(keys: Readonly<Record<string, Schema>>): Schema {
  const one = hash({ keys: { if: condition, changes, exists, ...keys } });
  const rule: Schema = (node, at, problems) => {
    const here = { path: `${keyAt(at, 'rule').path}:rule`, noun: 'config' };
    if (isHash(node) && node.entries.size > 0) return one(node, here, problems);
    if (isHash(node)) {
      problems.error(node.mark, `${here.path} config can't be blank`);
      return false;
    }
    problems.error(node.mark, `${at.path} ${at.noun} should be an array containing hashes and arrays of hashes`);
    return false;
  };
  return listOf(rule, 'should be an array containing hashes and arrays of hashes');
}

/** The conditions of each rule, with `rest` adding what follows from it. */
export function ruleList<T>(
  node: Node,
  context: KeywordContext,
  rest: (node: Node, context: KeywordContext) => T,
): (Conditions & T)[] {
  const here = { ...context, at: { path: `${context.at.path}:rule`, noun: 'config' } };
  return (flatItems(node) ?? []).map((item) => ({ ...conditionsOf(item, here), ...rest(item, here) }));
}

function conditionsOf(node: Node, context: KeywordContext): Conditions {
  const condition = field(node, 'if');
  const changed = field(node, 'changes');
  const existing = field(node, 'exists');
  const expression = condition && expressionOf(condition, context.at.path, context);
  return {
    mark: node.mark,
    ...(expression ? { if: expression } : {}),
    ...(changed
      ? {
          changes: {
            paths: textsOf(field(changed, 'paths') ?? changed),
            compareTo: textOf(field(changed, 'compare_to')) ?? undefined,
          },
        }
      : {}),
    ...(existing
      ? {
          exists: {
            paths: textsOf(field(existing, 'paths') ?? existing),
            project: textOf(field(existing, 'project')),
            ref: textOf(field(existing, 'ref')),
          },
        }
      : {}),
  };
}

/** The parsed expression; null when it cannot be read, which is reported at the node. */
export function expressionOf(
  node: Node,
  path: string,
  { problems, limits }: { problems: Problems; limits: KeywordContext['limits'] },
): { text: string; expression: Expression } | null {
  const source = textOf(node) ?? '';
  try {
    return { text: source, expression: parseExpression(source, limits) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    problems.error(node.mark, `${path} if invalid expression syntax: ${error.message}`);
    return null;
  }
}
