/** Rules over several parameters of a route, with the wording that clients of this API know. */

type RuleKind = 'exactly_one_of' | 'at_least_one_of' | 'mutually_exclusive' | 'not_together' | 'all_or_none_of';

export interface ParameterRule {
  readonly kind: RuleKind;
  readonly names: readonly string[];
}

const rule =
  (kind: RuleKind) =>
  (...names: readonly string[]): ParameterRule => ({ kind, names });

export const exactlyOneOf = rule('exactly_one_of');
export const atLeastOneOf = rule('at_least_one_of');
export const mutuallyExclusive = rule('mutually_exclusive');
/** The same, where the ecosystem has another wording. */
export const notTogether = rule('not_together');
export const allOrNoneOf = rule('all_or_none_of');

function reasonOf({ kind, names }: ParameterRule, given: readonly string[]): string | null {
  if (given.length === 0) {
    const what = kind === 'exactly_one_of' ? 'exactly' : 'at least';
    return kind === 'exactly_one_of' || kind === 'at_least_one_of'
      ? `${names.join(', ')} are missing, ${what} one parameter must be provided`
      : null;
  }
  if (kind === 'all_or_none_of')
    return given.length < names.length ? `${names.join(', ')} provide all or none of parameters` : null;
  if (kind === 'at_least_one_of' || given.length < 2) return null;
  return `${given.join(', ')} ${kind === 'not_together' ? 'cannot be used together' : 'are mutually exclusive'}`;
}

/** Why the given parameters break the rules. Defaults do not count as given. */
export function groupReasons(rules: readonly ParameterRule[], given: ReadonlySet<string>): string[] {
  return rules.flatMap(
    (each) =>
      reasonOf(
        each,
        each.names.filter((name) => given.has(name)),
      ) ?? [],
  );
}
