/** The values of a job's inputs, as given by whoever starts it. */
import { collectProblems } from '../diagnostics.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { compilePattern } from '../rules/regex.ts';
import { plainValue } from '../yaml/plain.ts';
import type { InputDeclaration } from './declarations.ts';
import type { InputSpec } from './spec.ts';
import { nodeOf } from './value.ts';
import { inputValues } from './values.ts';

const NOWHERE = { file: '', line: 1, column: 1 };

/** The value of each input by its name: what is given, or its default. What is wrong is said in `errors`. */
export function jobInputValues(
  declared: readonly InputDeclaration[],
  given: Readonly<Record<string, unknown>> = {},
  limits: Limits = DEFAULT_LIMITS,
): { readonly values: Readonly<Record<string, unknown>> } | { readonly errors: readonly string[] } {
  const problems = collectProblems();
  const node = (value: unknown) => nodeOf(value, NOWHERE, limits);
  const specs = declared.map((input): InputSpec => {
    const pattern = input.regex === null ? null : compilePattern(input.regex, '');
    return {
      name: input.name,
      mark: NOWHERE,
      type: input.type,
      description: input.description,
      default: input.required ? undefined : node(input.default),
      options: input.options === null ? null : input.options.map(node),
      regex: typeof pattern === 'string' ? null : pattern,
      rules: null,
    };
  });
  const values = new Map(Object.entries(given).map(([name, value]) => [name, node(value)] as const));
  const found = inputValues(specs, { mark: NOWHERE, values }, { problems, limits });
  if (!found) return { errors: problems.errors.map(({ message }) => message) };
  return { values: Object.fromEntries([...found].map(([name, value]) => [name, plainValue(value)])) };
}
