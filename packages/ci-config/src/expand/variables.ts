/** Variables: layers of rising precedence, and the expansion of `$NAME`, `${NAME}` and `%NAME%` in text. */
import { failLimit, type Mark } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';

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
export type Layer = ReadonlyMap<string, Variable>;

const REFERENCE = /\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))|%([A-Za-z_][A-Za-z0-9_]*)%/g;
const mayRefer = (text: string): boolean => text.includes('$') || text.includes('%');
// Longer chains of variables than this are a mistake, and would end in a stack overflow.
const MOST_NESTED = 100;

/** What to do with the name of no variable: leave the text alone or take it as empty. */
export type Unknown = 'keep' | 'empty';

export type Scope = {
  /** The expanded value; undefined when no layer has the name. */
  get(name: string): string | undefined;
  /** The value as it is written: what expressions compare. Names in it are not looked up. */
  written(name: string): string | undefined;
  /** The text with its references replaced, `$$` being one dollar sign. */
  expand(text: string, unknown: Unknown): string;
  /** Whether the value comes from a hidden variable, directly or through others. */
  conceals(name: string): boolean;
  /** The text with the names of variables that exist replaced, once and not further; or why that may not be. */
  expandExisting(text: string): { readonly text: string } | { readonly reason: string };
};

/** Counts the bytes of expanded text over a whole compilation. */
export type ExpansionBudget = { readonly limits: Limits; used: number };

export function layer(variables: Iterable<Variable>): Layer {
  return new Map([...variables].map((variable) => [variable.key, variable]));
}

/**
 * Looks names up in `layers`, the last one first. Values are expanded when asked for, once; a reference back to a
 * variable that is being expanded stays as it is written. `mark` is the place that a limit is reported at.
 */
export function variableScope(layers: readonly Layer[], budget: ExpansionBudget, mark: Mark): Scope {
  const known = new Map<string, string | undefined>();
  const open = new Set<string>();

  const find = (name: string): Variable | undefined => {
    for (let index = layers.length - 1; index >= 0; index--) {
      const variable = layers[index]?.get(name);
      if (variable) return variable;
    }
    return undefined;
  };
  const get = (name: string): string | undefined => {
    if (known.has(name)) return known.get(name);
    const variable = find(name);
    if (!variable || variable.raw || !mayRefer(variable.value)) {
      known.set(name, variable?.value);
      return variable?.value;
    }
    open.add(name);
    const value = expand(variable.value, 'empty');
    open.delete(name);
    // Remembered inside a cycle too: each variable is expanded once, however often the others use it.
    known.set(name, value);
    return value;
  };
  const spend = (bytes: number, added: number): void => {
    budget.used += added;
    const { limits } = budget;
    if (bytes > limits.variableBytes) failLimit(mark, 'bytes in an expanded variable', limits, 'variableBytes', bytes);
    if (budget.used > limits.variableTotalBytes) {
      failLimit(mark, 'bytes of expanded variables', limits, 'variableTotalBytes', budget.used);
    }
  };
  const expand = (text: string, unknown: Unknown): string => {
    if (!mayRefer(text)) return text;
    let bytes = 0;
    const result = text.replace(REFERENCE, (reference, braced?: string, bare?: string, percent?: string) => {
      if (reference === '$$') return '$';
      const name = (braced ?? bare ?? percent)!;
      if (open.has(name) || open.size > MOST_NESTED) return reference;
      // Between percent signs may be the code of a character in an address.
      const value = get(name) ?? (unknown === 'keep' || percent !== undefined ? reference : '');
      bytes += value.length;
      spend(bytes, value.length);
      return value;
    });
    return result;
  };
  const expandExisting: Scope['expandExisting'] = (text) => {
    let bytes = 0;
    let masked = false;
    const result = text.replace(REFERENCE, (reference, braced?: string, bare?: string, percent?: string) => {
      const variable = reference === '$$' ? undefined : find((braced ?? bare ?? percent)!);
      if (!variable) return reference;
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
      const variable = find(next);
      if (variable?.hidden || variable?.masked) return true;
      if (!variable || variable.raw) continue;
      for (const [, braced, bare, percent] of variable.value.matchAll(REFERENCE))
        waiting.push(braced ?? bare ?? percent ?? '');
    }
    return false;
  };
  const written = (name: string): string | undefined => find(name)?.value;
  return { get, written, expand, conceals, expandExisting };
}
