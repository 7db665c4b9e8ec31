/** The header of a file: `spec:inputs`, what each input may be. */
import { failLimit, type Mark, type Problems } from '../diagnostics.ts';
import { textOf } from '../keywords/read.ts';
import {
  flatItems,
  hash,
  isHash,
  isList,
  isText,
  keyAt,
  oneOf,
  type Schema,
  subjectOf,
  text,
} from '../keywords/schema.ts';
import type { Limits } from '../limits.ts';
import { ExpressionError } from '../rules/lexer.ts';
import { type Expression, namesIn, parseExpression } from '../rules/parser.ts';
import { compilePattern, type Pattern } from '../rules/regex.ts';
import { field, isMapping, isNull, type MappingNode, type Node } from '../yaml/tree.ts';
import { coerced, hasReference, INPUT_TYPES, type InputType } from './value.ts';

export type InputRule = {
  readonly if: Expression | null;
  readonly options: readonly Node[] | null;
  /** Undefined where the rule has none; a null is one. */
  readonly default: Node | undefined;
};

export type InputSpec = {
  readonly name: string;
  readonly mark: Mark;
  readonly type: InputType;
  readonly description: string | null;
  readonly default: Node | undefined;
  readonly options: readonly Node[] | null;
  readonly regex: Pattern | null;
  readonly rules: readonly InputRule[] | null;
};

type Context = { readonly problems: Problems; readonly limits: Limits };

const MOST_OPTIONS = 50;
const MOST_JOB_INPUTS = 50;

const anything: Schema = () => true;
/** In a default or an option: nothing that is resolved later, when the value has already been judged. */
const settled: Schema = (node, at, problems) => {
  if (!hasReference(node)) return true;
  problems.error(node.mark, `${subjectOf(at)} cannot use !reference`);
  return false;
};
const options: Schema = (node, at, problems) => {
  const say = (message: string): false => {
    problems.error(node.mark, `${at.path} ${message}`);
    return false;
  };
  if (!isList(node)) return say('options should be an array');
  const items = flatItems(node) ?? [];
  if (items.length > MOST_OPTIONS) return say(`config cannot define more than ${MOST_OPTIONS} options`);
  if (items.some(isNull)) return say('config options array cannot contain null values');
  return items.every((item) => settled(item, at, problems));
};
const description: Schema = (node, at, problems) => {
  if (node.kind === 'scalar') return true;
  problems.error(node.mark, `${subjectOf(at)} must be an alphanumeric string`);
  return false;
};
const rule: Schema = (node, at, problems) =>
  hash({ keys: { if: text, options, default: settled } })(node, at, problems) && ruleIsComplete(node, at, problems);
const ruleIsComplete: Schema = (node, at, problems) => {
  const wrong = incomplete(node as MappingNode);
  if (wrong) problems.error(node.mark, `${subjectOf(at)} ${wrong}`);
  return wrong === null;
};

function incomplete(node: MappingNode): string | null {
  if (field(node, 'options')) return null;
  if (!field(node, 'if')) return "fallback rule must define 'options'";
  return node.entries.has('default') ? null : "rule with 'if' must define 'options' or 'default'";
}

const rules: Schema = (node, at, problems) => {
  const items = isList(node) ? flatItems(node) : null;
  if (!items || items.length === 0) {
    problems.error(node.mark, `${subjectOf(at)} should be an array of hashes`);
    return false;
  }
  const here = { path: `${keyAt(at, 'rule').path}:rule`, noun: 'config' };
  return items.map((item) => rule(item, here, problems)).every(Boolean);
};
const one = hash({ keys: { type: oneOf(INPUT_TYPES), description, default: settled, options, regex: text, rules } });
const input: Schema = (node, at, problems) => {
  if (isNull(node)) return true;
  if (!one(node, at, problems)) return false;
  const keys = (['options', 'default'] as const).filter(
    (key) => isMapping(node) && node.entries.has('rules') && node.entries.has(key),
  );
  for (const key of keys) {
    problems.error(node.mark, `${subjectOf(at)} these keys cannot be used together: rules, ${key}`);
  }
  return keys.length === 0;
};
const jobInput = hash({
  keys: { type: oneOf(INPUT_TYPES), description, default: settled, options, regex: text },
  required: ['default'],
});
const COMPONENT_FACTS = ['name', 'sha', 'version', 'reference'] as const;
const fact = oneOf(COMPONENT_FACTS);
const facts: Schema = (node, at, problems) => {
  const items = isList(node) ? flatItems(node) : null;
  if (items) return items.every((item) => fact(item, at, problems));
  problems.error(node.mark, `${at.path}:component config should be an array of strings`);
  return false;
};
const spec = hash({ keys: { description, inputs: anything, include: anything, component: facts } });
const header = hash({ keys: { spec: anything } });
/** A file that headers include has nothing else. */
const onlyInputs = hash({ keys: { inputs: anything }, required: ['inputs'] });

/** The inputs that a header declares, in its order; null when it is wrong, which is reported. */
export function readSpec(node: MappingNode, context: Context): InputSpec[] | null {
  const { problems } = context;
  if (!header(node, { path: 'header', noun: 'config' }, problems)) return null;
  const body = field(node, 'spec');
  if (!body) return [];
  if (!spec(body, { path: 'header:spec', noun: 'config' }, problems)) return null;
  const inputs = field(body, 'inputs');
  if (!inputs) return [];
  // What is included may declare the inputs that rules look at: that is seen when all are there.
  return readInputSpecs(inputs, context, field(body, 'include') !== undefined);
}

/** The inputs that a file declares for headers that include it; null when it is wrong, which is reported. */
export function readIncludedSpecs(node: MappingNode, context: Context): InputSpec[] | null {
  const inputs = onlyInputs(node, { path: 'inputs', noun: 'config' }, context.problems) ? field(node, 'inputs') : null;
  return inputs ? readInputSpecs(inputs, context, true) : null;
}

function readInputSpecs(inputs: Node, context: Context, open: boolean): InputSpec[] | null {
  const { problems, limits } = context;
  if (!isHash(inputs)) {
    problems.error(inputs.mark, 'header:spec:inputs config should be a hash');
    return null;
  }
  if (inputs.entries.size > limits.inputs) {
    failLimit(inputs.mark, 'inputs in one file', limits, 'inputs', inputs.entries.size);
  }
  const before = problems.errors.length;
  const known = open ? null : new Set(inputs.entries.keys());
  const specs = [...inputs.entries].flatMap(([name, { keyMark, value }]) => {
    const at = { path: `header:spec:inputs:${name}`, noun: 'config' };
    return input(value, at, problems) ? [specOf(name, keyMark, value, at.path, known, context)] : [];
  });
  if (problems.errors.length > before) return null;
  return specs;
}

/** The inputs of a job: they have a default, and no rules. */
export function readJobInputs(node: MappingNode, path: string, context: Context): InputSpec[] {
  const { problems } = context;
  if (node.entries.size > MOST_JOB_INPUTS) {
    problems.error(
      node.mark,
      `${path} config: too many inputs: ${node.entries.size}, and a job has at most ${MOST_JOB_INPUTS}`,
    );
    return [];
  }
  return [...node.entries].flatMap(([name, { keyMark, value }]) => {
    const at = { path: `${path}:${name}`, noun: 'config' };
    if (!jobInput(value, at, problems)) return [];
    return [specOf(name, keyMark, value, at.path, new Set<string>(), context)];
  });
}

/** What a header that is right includes. */
export const headerInclude = (node: MappingNode): Node | undefined => field(field(node, 'spec'), 'include');

/** Those of files first, then the header's own. Each name is declared once, and rules look at names that are declared. */
export function mergedSpecs(
  lists: readonly (readonly InputSpec[])[],
  at: Mark,
  { problems, limits }: Context,
): InputSpec[] {
  const all = new Map<string, InputSpec>();
  const repeated = new Set<string>();
  for (const each of lists.flat()) {
    if (all.has(each.name)) repeated.add(each.name);
    all.set(each.name, each);
  }
  if (repeated.size > 0) {
    problems.error(
      at,
      `Duplicate input keys found: ${[...repeated].join(', ')}. ` +
        'Input keys must be unique across all included files and inline specifications.',
    );
  }
  if (all.size > limits.inputs) failLimit(at, 'inputs in one file', limits, 'inputs', all.size);
  for (const { name, mark, rules: some } of all.values()) {
    const names = (some ?? []).flatMap((each) => (each.if ? namesIn(each.if) : []));
    const unknown = [...new Set(names)].filter((each) => !all.has(each));
    if (unknown.length > 0)
      problems.error(mark, `header:spec:inputs:${name} rules reference undefined inputs: ${unknown.join(', ')}`);
  }
  return [...all.values()];
}

/** What a header that is right asks for of its component. */
export function componentFacts(node: MappingNode): string[] {
  const listed = field(field(node, 'spec'), 'component');
  return (listed ? flatItems(listed) : null)?.flatMap((item) => textOf(item) ?? []) ?? [];
}

function specOf(
  name: string,
  mark: Mark,
  node: Node,
  path: string,
  known: ReadonlySet<string> | null,
  context: Context,
): InputSpec {
  const type = (textOf(field(node, 'type')) ?? 'string') as InputType;
  const { problems } = context;
  const complain = (message: string) => problems.error(mark, `\`${name}\` input: ${message}`);
  const regex = field(node, 'regex');
  const pattern = regex ? compilePattern(textOf(regex) ?? '', '') : null;
  if (regex && type !== 'string') complain('RegEx validation can only be used with string inputs');
  else if (typeof pattern === 'string') complain('invalid regular expression');
  const listed = field(node, 'options');
  if (listed && type === 'boolean') complain('Options can only be used with string and number inputs');
  return {
    name,
    mark,
    type,
    description: textOf(field(node, 'description')),
    default: isMapping(node) ? node.entries.get('default')?.value : undefined,
    options: listed ? optionsOf(listed, type, context.limits) : null,
    regex: typeof pattern === 'string' ? null : pattern,
    rules: rulesOf(field(node, 'rules'), type, path, known, context),
  };
}

/** In the input's type where they can be read in it; others match nothing. */
function optionsOf(node: Node, type: InputType, limits: Limits): Node[] {
  const item = type === 'array' ? null : type;
  return (flatItems(node) ?? []).map((option) => (item ? (coerced(option, item, limits) ?? option) : option));
}

function rulesOf(
  node: Node | undefined,
  type: InputType,
  path: string,
  known: ReadonlySet<string> | null,
  context: Context,
): InputRule[] | null {
  if (!node) return null;
  return (flatItems(node) ?? []).map((item, index) => {
    const listed = field(item, 'options');
    return {
      if: expressionOf(field(item, 'if'), `${path} rule[${index}]`, known, context),
      options: listed ? optionsOf(listed, type, context.limits) : null,
      default: isMapping(item) ? item.entries.get('default')?.value : undefined,
    };
  });
}

function expressionOf(
  node: Node | undefined,
  path: string,
  known: ReadonlySet<string> | null,
  { problems, limits }: Context,
): Expression | null {
  if (!node || !isText(node)) return null;
  try {
    const expression = parseExpression(node.text, limits, 'inputs');
    const names = [...new Set(namesIn(expression))].filter((name) => known !== null && !known.has(name));
    if (names.length > 0) problems.error(node.mark, `${path} references undefined inputs: ${names.join(', ')}`);
    return expression;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    problems.error(node.mark, `${path} if invalid expression syntax: ${error.message}`);
    return null;
  }
}
