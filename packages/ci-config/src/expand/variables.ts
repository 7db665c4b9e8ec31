/** Variables: layers of rising precedence, and the expansion of `$NAME`, `${NAME}` and `%NAME%` in text. */
import { failLimit, type Mark } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import { circlesAmong } from './circles.ts';
import { mayRefer, namesIn, type Place, replaceReferences } from './references.ts';

/** A raw variable's value is used as it is; others may refer to further variables. */
export type Variable = {
  readonly key: string;
  readonly value: string;
  readonly raw?: boolean;
  /** Hidden in logs: never written into the configuration. */
  readonly masked?: boolean;
  /** From settings, or from whoever started the pipeline: not shown where the pipeline is explained. */
  readonly hidden?: boolean;
};
/** Variables of one rank, of each name in their order. */
export type Layer = {
  readonly named: ReadonlyMap<string, readonly Variable[]>;
  /** Those that refer to others, or to themselves. */
  readonly referring: readonly Variable[];
};

// Longer chains of variables than this are a mistake, and would end in a stack overflow.
const MOST_NESTED = 100;

/** What to do with the name of no variable: leave the text alone or take it as empty. */
export type Unknown = 'keep' | 'empty';

export type Scope = {
  /** The expanded value; undefined when no layer has the name. */
  get(name: string): string | undefined;
  /** The value as it is written: what expressions compare. Names in it are not looked up. */
  written(name: string): string | undefined;
  /** The text with its references replaced. */
  expand(text: string, unknown: Unknown): string;
  /** The names of variables that refer to each other in a circle: then none is expanded. */
  circles(): readonly (readonly string[])[];
  /** Whether the value comes from a hidden variable, directly or through others. */
  conceals(name: string): boolean;
  /** The text with the names of variables that exist replaced, once and not further; or why that may not be. */
  expandExisting(text: string): { readonly text: string } | { readonly reason: string };
};

/** Counts the bytes of expanded text over a whole compilation. */
export type ExpansionBudget = { readonly limits: Limits; used: number };

export function layer(variables: Iterable<Variable>): Layer {
  const named = new Map<string, Variable[]>();
  const referring: Variable[] = [];
  for (const variable of variables) {
    const before = named.get(variable.key);
    if (before) before.push(variable);
    else named.set(variable.key, [variable]);
    if (namesUsedBy(variable).length > 0) referring.push(variable);
  }
  return { named, referring };
}

const NO_NAMES: readonly string[] = [];
/** Each job asks for those of the variables that all jobs have. */
const knownNames = new WeakMap<Variable, readonly string[]>();

function namesUsedBy(variable: Variable): readonly string[] {
  if (variable.raw || !mayRefer(variable.value)) return NO_NAMES;
  const known = knownNames.get(variable);
  if (known) return known;
  const names = namesIn(variable.value, 'value');
  knownNames.set(variable, names);
  return names;
}

function circlesOf(layers: readonly Layer[]): string[][] {
  const referring = layers.flatMap((each) => each.referring);
  const byName = new Map<string, Variable[]>();
  for (const variable of referring) byName.set(variable.key, [...(byName.get(variable.key) ?? []), variable]);
  const next = (variable: Variable) => namesUsedBy(variable).flatMap((name) => byName.get(name) ?? []);
  return circlesAmong(referring, next).map((circle) => circle.map((variable) => variable.key));
}

/**
 * Looks names up in `layers`, the last one first. Values are expanded when asked for, once. Where one of several variables of a name
 * refers to that name, it stands for the last of the others and takes its place, whatever its rank. `mark` is the place that a limit
 * is reported at.
 */
export function variableScope(layers: readonly Layer[], budget: ExpansionBudget, mark: Mark): Scope {
  const known = new Map<string, string | undefined>();
  let nested = 0;
  let found: string[][] | undefined;
  const circles = (): string[][] => {
    found ??= circlesOf(layers);
    return found;
  };

  const find = (name: string): Variable | undefined => {
    for (let index = layers.length - 1; index >= 0; index--) {
      const variable = layers[index]?.named.get(name)?.at(-1);
      if (variable) return variable;
    }
    return undefined;
  };
  /** What decides a value: the last variable of the name, or the one that refers to its own name and the last of the others. */
  const deciding = (name: string): readonly (Variable | undefined)[] => {
    const all = layers.flatMap((each) => each.named.get(name) ?? []);
    const own = all.find((variable) => namesUsedBy(variable).includes(name));
    return own ? [own, all.findLast((variable) => variable !== own)] : [all.at(-1)];
  };
  const get = (name: string): string | undefined => {
    if (known.has(name)) return known.get(name);
    const [variable, before] = deciding(name);
    const value = variable && expandedOf(variable, () => before && expandedOf(before));
    known.set(name, value);
    return value;
  };
  const expandedOf = (variable: Variable, before?: () => string | undefined): string => {
    const { key, value, raw } = variable;
    if (raw || !mayRefer(value) || circles().length > 0) return value;
    nested++;
    const expanded = replaced(value, 'value', 'empty', (name) => (name === key ? before?.() : get(name)));
    nested--;
    return expanded;
  };
  const spend = (bytes: number, added: number): void => {
    budget.used += added;
    const { limits } = budget;
    if (bytes > limits.variableBytes) failLimit(mark, 'bytes in an expanded variable', limits, 'variableBytes', bytes);
    if (budget.used > limits.variableTotalBytes) {
      failLimit(mark, 'bytes of expanded variables', limits, 'variableTotalBytes', budget.used);
    }
  };
  const expand = (text: string, unknown: Unknown): string => replaced(text, 'text', unknown, get);
  const replaced = (
    text: string,
    place: Place,
    unknown: Unknown,
    lookUp: (name: string) => string | undefined,
  ): string => {
    let bytes = 0;
    return replaceReferences(text, place, (name, reference) => {
      if (nested > MOST_NESTED) return undefined;
      // Between percent signs may be the code of a character in an address.
      const value = lookUp(name) ?? (unknown === 'keep' || reference.startsWith('%') ? reference : '');
      bytes += value.length;
      spend(bytes, value.length);
      return value;
    });
  };
  const expandExisting: Scope['expandExisting'] = (text) => {
    let bytes = 0;
    let masked = false;
    const result = replaceReferences(text, 'text', (name) => {
      const variable = find(name);
      if (!variable) return undefined;
      masked ||= variable.masked ?? false;
      bytes += variable.value.length;
      spend(bytes, variable.value.length);
      return variable.value;
    });
    return masked ? { reason: 'masked variables cannot be expanded' } : { text: result };
  };
  const conceals = (name: string): boolean => {
    const seen = new Set<string>();
    const waiting = [name];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      for (const variable of deciding(next)) {
        if (variable?.hidden || variable?.masked) return true;
        if (variable) waiting.push(...namesUsedBy(variable));
      }
    }
    return false;
  };
  const written = (name: string): string | undefined => find(name)?.value;
  return { get, written, expand, circles, conceals, expandExisting };
}
