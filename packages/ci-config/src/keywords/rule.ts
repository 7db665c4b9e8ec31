/** One entry of a `rules` list: shape and value, for jobs, `workflow` and `include`. */
import type { Problems } from '../diagnostics.ts';
import { ExpressionError } from '../rules/lexer.ts';
import { type Expression, parseExpression } from '../rules/parser.ts';
import { LONGEST_PATH_REGEXP } from '../rules/path-regexp.ts';
import type { Conditions } from '../rules/rules.ts';
import type { Node } from '../yaml/tree.ts';
import type { KeywordContext } from './keyword.ts';
import { field, textOf, textsOf } from './read.ts';
import {
  atMost,
  type either,
  flatItems,
  hash,
  isHash,
  isList,
  isText,
  keyAt,
  listOf,
  noLonger,
  partOf,
  type Schema,
  subjectOf,
  text,
  texts,
} from './schema.ts';

const MOST_PATHS = 50;
/** Patterns of paths that a rule or policy looks for. */
export const paths: Schema = atMost(MOST_PATHS, texts, `has too many entries (maximum ${MOST_PATHS})`);
/** Globs or a regular expression; the latter is judged when its variables are expanded. */
const sought = (keys: Readonly<Record<string, Schema>>): Schema => {
  const byGlobs = hash({ keys: { paths, ...keys }, required: ['paths'] });
  const byRegexp = hash({ keys: { regexp: noLonger(LONGEST_PATH_REGEXP, text), ...keys } });
  return (node, at, problems) => {
    if (!field(node, 'regexp')) return byGlobs(node, at, problems);
    if (!field(node, 'paths')) return byRegexp(node, at, problems);
    problems.error(node.mark, `${subjectOf(at)} must use exactly one of these keys: paths, regexp`);
    return false;
  };
};
/** One of several kinds of values, which messages name as a part of its own. */
const part =
  (kinds: Parameters<typeof either>[0], expectation: string): Schema =>
  (node, at, problems) => {
    const here = partOf(at);
    const judge = kinds.find(([fits]) => fits(node))?.[1];
    if (judge) return judge(node, here, problems);
    problems.error(node.mark, `${here.path} ${expectation}`);
    return false;
  };
const changes: Schema = part(
  [
    [isList, paths],
    [isHash, sought({ compare_to: text })],
  ],
  'should be an array or a hash',
);
const files = sought({ project: text, ref: text });
const existsIn: Schema = (node, at, problems) => {
  if (!files(node, at, problems)) return false;
  if (!field(node, 'ref') || field(node, 'project')) return true;
  problems.error(node.mark, `${subjectOf(at)} \`project\` must be specified with \`ref\``);
  return false;
};
const exists: Schema = part(
  [
    [isList, paths],
    [isText, text],
    [isHash, existsIn],
  ],
  'should be a string, an array of strings, or a hash',
);
// What is in the text is judged when it is parsed, so that the message can name the character.
const condition: Schema = (node, at, problems) => {
  if (isText(node)) return true;
  problems.error(node.mark, `${subjectOf(at)} invalid expression syntax`);
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
    problems.error(node.mark, `${subjectOf(at)} should be an array containing hashes and arrays of hashes`);
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

function soughtIn(node: Node): { paths: string[]; regexp: string | null } {
  const regexp = textOf(field(node, 'regexp'));
  return { paths: regexp === null ? textsOf(field(node, 'paths') ?? node) : [], regexp };
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
            ...soughtIn(changed),
            compareTo: textOf(field(changed, 'compare_to')) ?? undefined,
          },
        }
      : {}),
    ...(existing
      ? {
          exists: {
            ...soughtIn(existing),
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
