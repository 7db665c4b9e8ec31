/** What each input is: the value that was given or its default, in its type, among its options, matching its pattern. */
import type { Mark, Problems } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import { evaluate } from '../rules/evaluator.ts';
import { namesIn } from '../rules/parser.ts';
import { isNull, type Node } from '../yaml/tree.ts';
import type { InputRule, InputSpec } from './spec.ts';
import { coerced, jsonOf, scalar } from './value.ts';

/** Values by name, and the place that what is missing is reported at; the input's own where there is none. */
export type Given = {
  readonly mark: Mark | null;
  readonly values: ReadonlyMap<string, Node>;
  /** What is known of the component that the file is. */
  readonly component?: ReadonlyMap<string, Node>;
};

type Context = { readonly problems: Problems; readonly limits: Limits };

/** The value of every input, also in `values`; null when one is wrong, which is reported. */
export function inputValues(
  specs: readonly InputSpec[],
  given: Given,
  context: Context,
  values: Map<string, Node> = new Map(),
): Map<string, Node> | null {
  const { problems } = context;
  const before = problems.errors.length;
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const unknown = [...given.values].filter(([name]) => !byName.has(name));
  if (unknown.length > 0) {
    const mark = unknown[0]![1].mark;
    problems.error(mark, `unknown input arguments: ${unknown.map(([name]) => name).join(', ')}`);
  }
  const circle = circular(specs);
  if (circle) {
    problems.error(circle.mark, `\`${circle.name}\` input: circular dependency detected`);
    return null;
  }
  // Values that others' rules look at come first; the header's order does not matter.
  const resolve = (spec: InputSpec): void => {
    if (values.has(spec.name)) return;
    for (const name of dependenciesOf(spec)) {
      const other = byName.get(name);
      if (other) resolve(other);
    }
    values.set(spec.name, valueFor(spec, given, values, context));
  };
  for (const spec of specs) resolve(spec);
  return problems.errors.length > before ? null : values;
}

function dependenciesOf(spec: InputSpec): string[] {
  return (spec.rules ?? []).flatMap((rule) => (rule.if ? namesIn(rule.if) : []));
}

/** An input that a rule of its own leads back to. */
function circular(specs: readonly InputSpec[]): InputSpec | null {
  const byName = new Map(specs.map((spec) => [spec.name, spec]));
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (spec: InputSpec): InputSpec | null => {
    if (open.has(spec.name)) return spec;
    if (done.has(spec.name)) return null;
    open.add(spec.name);
    for (const name of dependenciesOf(spec)) {
      const other = byName.get(name);
      const found = other && visit(other);
      if (found) return found;
    }
    open.delete(spec.name);
    done.add(spec.name);
    return null;
  };
  for (const spec of specs) {
    const found = visit(spec);
    if (found) return found;
  }
  return null;
}

/** The first rule whose condition holds. */
export function ruleFor(spec: InputSpec, values: ReadonlyMap<string, Node>): InputRule | null {
  const lookup = (name: string): string | boolean | undefined => {
    const node = values.get(name);
    if (node?.kind !== 'scalar') return node && jsonOf(node);
    return typeof node.value === 'boolean' ? node.value : node.text;
  };
  return spec.rules?.find((rule) => rule.if === null || evaluate(rule.if, lookup)) ?? null;
}

function valueFor(spec: InputSpec, given: Given, values: ReadonlyMap<string, Node>, context: Context): Node {
  const { problems, limits } = context;
  const nothing = scalar(spec.mark, spec.type === 'string' ? '' : null);
  const complain = (mark: Mark, message: string): Node => {
    problems.error(mark, `\`${spec.name}\` input: ${message}`);
    return nothing;
  };
  const rule = ruleFor(spec, values);
  const options = rule?.options ?? spec.options;
  const fallback = rule ? rule.default : spec.default;

  const checked = (node: Node, whose: 'default' | 'provided', mark: Mark): Node => {
    const value = coerced(node, spec.type, limits);
    if (!value) return complain(mark, `${whose} value is not ${spec.type === 'array' ? 'an' : 'a'} ${spec.type}`);
    const outside = options ? notAmong(options, value) : null;
    if (outside !== null) {
      return complain(mark, `\`${outside}\` cannot be used because it is not in the list of allowed options`);
    }
    if (spec.regex && value.kind === 'scalar' && !spec.regex.test(value.text)) {
      return complain(mark, `${whose} value does not match required RegEx pattern`);
    }
    return value;
  };

  const own = given.values.get(spec.name);
  const mine = own && !isNull(own) ? { ...own, mark: given.mark ? own.mark : spec.mark } : undefined;
  // A default of null stands for nothing that is chosen: no option has to allow it.
  const open = fallback !== undefined && isNull(fallback) && spec.type === 'string';
  const byDefault = fallback === undefined || open ? null : checked(fallback, 'default', fallback.mark);
  if (mine) return checked(mine, 'provided', mine.mark);
  if (byDefault) return byDefault;
  if (open || (spec.rules && !rule && spec.type === 'string' && mayBeAbsent(spec.rules))) return nothing;
  return complain(given.mark ?? spec.mark, 'required value has not been provided');
}

/** Where no rule applies an input that has a default in some of them is not asked for. */
function mayBeAbsent(rules: readonly InputRule[]): boolean {
  return rules.some((rule) => rule.default !== undefined);
}

/** The value, or the items of a list, that are none of the options; null when all are. */
function notAmong(options: readonly Node[], value: Node): string | null {
  const known = new Set(options.map(jsonOf));
  if (value.kind !== 'sequence') return known.has(jsonOf(value)) ? null : jsonOf(value).replace(/^"(.*)"$/s, '$1');
  const others = value.items.filter((item) => !known.has(jsonOf(item)));
  return others.length > 0
    ? others.map((item) => (item.kind === 'scalar' ? item.text : jsonOf(item))).join(', ')
    : null;
}
