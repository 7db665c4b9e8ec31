/** What a configuration asks for: its inputs as people are shown them. */
import { CompileFailure, collectProblems, type Located } from '../diagnostics.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { plainValue } from '../yaml/plain.ts';
import { isNull, mergeBudget, type Node } from '../yaml/tree.ts';
import { parseFile } from './file.ts';
import type { InputSpec } from './spec.ts';
import { type InputType, nodeOf } from './value.ts';
import { inputValues, ruleFor } from './values.ts';

/** With the options and the default that hold beside the values of the other inputs. */
export type InputDeclaration = {
  readonly name: string;
  readonly type: InputType;
  readonly description: string | null;
  /** Whether a value must be given. */
  readonly required: boolean;
  readonly default: unknown;
  readonly options: readonly unknown[] | null;
  readonly regex: string | null;
};

/**
 * The inputs that the header of a text declares, in its order: none without a header. `given` decides on rules of
 * inputs; what is wrong with it does not matter here. Errors are those of the text.
 */
export function readInputs(
  path: string,
  content: string,
  given: Readonly<Record<string, unknown>> = {},
  overrides: Partial<Limits> = {},
): { readonly inputs: readonly InputDeclaration[] } | { readonly errors: readonly Located[] } {
  const limits = { ...DEFAULT_LIMITS, ...overrides };
  const problems = collectProblems();
  const entry = { file: path, line: 1, column: 1 };
  try {
    const { specs } = parseFile(path, content, { limits, problems, budget: mergeBudget(limits) });
    const nodes = Object.entries(given).map(([name, value]) => [name, nodeOf(value, entry, limits)] as const);
    const values = new Map<string, Node>();
    inputValues(specs ?? [], { mark: null, values: new Map(nodes) }, { problems, limits }, values);
    return { inputs: (specs ?? []).map((spec) => declarationOf(spec, values)) };
  } catch (error) {
    if (error instanceof CompileFailure) return { errors: [error.located] };
    throw error;
  }
}

export function declarationOf(spec: InputSpec, values: ReadonlyMap<string, Node>): InputDeclaration {
  const rule = ruleFor(spec, values);
  const fallback = rule ? rule.default : spec.default;
  const options = rule?.options ?? spec.options;
  const chosen = fallback !== undefined && !isNull(fallback);
  const free = spec.rules !== null && !rule && spec.rules.some((each) => each.default !== undefined);
  return {
    name: spec.name,
    type: spec.type,
    description: spec.description,
    required: fallback === undefined && !free,
    default: chosen ? plainValue(fallback) : null,
    options: options ? options.map(plainValue) : null,
    regex: spec.regex?.source ?? null,
  };
}
