/** What a configuration asks for: its inputs as people are shown them. */
import type { Problems } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import { plainValue } from '../yaml/plain.ts';
import { isNull, type Node } from '../yaml/tree.ts';
import type { ParsedFile } from './file.ts';
import type { InputSpec } from './spec.ts';
import type { InputType } from './value.ts';
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

/** The inputs that a header declares, in its order. `given` decides on rules of inputs; what is wrong with it does not matter here. */
export function declaredInputs(
  { specs }: Pick<ParsedFile, 'specs'>,
  given: ReadonlyMap<string, Node>,
  context: { readonly problems: Problems; readonly limits: Limits },
): InputDeclaration[] {
  const values = new Map<string, Node>();
  inputValues(specs ?? [], { mark: null, values: given }, context, values);
  return (specs ?? []).map((spec) => declarationOf(spec, values));
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
