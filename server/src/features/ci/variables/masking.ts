/** What a variable must look like before it can be stored, and before a runner can hide it in logs. Pure. */

/** Longest value in bytes; the limit has this name in the error. */
const maxVariableValueBytes = 10_000;

const keyPattern = /^[A-Za-z0-9_]+$/;
const scopePattern = /^[A-Za-z0-9_/\\$\-. *{}]{1,255}$/;
/** One line without blanks, at least eight characters: what a runner finds again in a log. */
const maskablePattern = /^\S{8,}$/;
/** Values that the runner expands must not hold what changes by expansion. */
const maskableExpandedPattern = /^[a-zA-Z0-9_+=/@:.~-]{8,}$/;

export interface VariableValues {
  readonly key: string;
  readonly value: string;
  readonly masked: boolean;
  readonly raw: boolean;
  readonly environment_scope: string;
  readonly description?: string | null;
}

/** Reasons by field why the variable cannot be stored; empty when it can. */
export function variableProblems(variable: VariableValues): Record<string, string[]> {
  const problems: Record<string, string[]> = {};
  const add = (field: string, reason: string) => {
    problems[field] = [...(problems[field] ?? []), reason];
  };
  if (variable.key === '') add('key', "can't be blank");
  if (variable.key.length > 255) add('key', 'is too long (maximum is 255 characters)');
  if (!keyPattern.test(variable.key)) add('key', "can contain only letters, digits and '_'.");
  if (variable.value.includes('\0')) add('value', 'must not contain a null character');
  const bytes = Buffer.byteLength(variable.value);
  if (bytes > maxVariableValueBytes)
    add('value', `is too long (${bytes} bytes, the maximum max_variable_value_bytes is ${maxVariableValueBytes})`);
  const hides = variable.raw ? maskablePattern : maskableExpandedPattern;
  if (variable.masked && !hides.test(variable.value)) add('value', 'is invalid');
  if (!scopePattern.test(variable.environment_scope))
    add('environment_scope', "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces");
  if ((variable.description?.length ?? 0) > 255) add('description', 'is too long (maximum is 255 characters)');
  return problems;
}

/** Whether a scope (`*` stands for anything) covers the environment; without an environment only `*` does. */
export function scopeCovers(scope: string, environment: string | null): boolean {
  if (scope === '*') return true;
  if (environment === null) return false;
  const parts = scope.split('*');
  if (parts.length === 1) return scope === environment;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!environment.startsWith(first) || !environment.slice(first.length).endsWith(last)) return false;
  let at = first.length;
  const end = environment.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = environment.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return at <= end;
}
