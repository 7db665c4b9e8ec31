/** The two spellings of one setting: a level from 0 to 4, and the rules that it stands for. */

const developer = [{ access_level: 30 }];
const maintainer = [{ access_level: 40 }];

/** In the order of the levels. */
const rules: readonly Readonly<Record<string, unknown>>[] = [
  { allowed_to_push: developer, allow_force_push: true, allowed_to_merge: developer },
  { allowed_to_push: developer, allow_force_push: false, allowed_to_merge: maintainer },
  { allowed_to_push: maintainer, allow_force_push: false, allowed_to_merge: maintainer },
  { allowed_to_push: maintainer, allow_force_push: false, allowed_to_merge: developer },
  {
    allowed_to_push: maintainer,
    allow_force_push: false,
    allowed_to_merge: maintainer,
    developer_can_initial_push: true,
  },
];

/** The rules of a level. */
export const protectionOf = (level: number): Readonly<Record<string, unknown>> => rules[level] ?? {};

const yes = (value: unknown) => value === true || value === 'true' || value === '1';

/** Who may, as its lowest role: a list of one hash with an access level. */
function roleOf(value: unknown): number | null {
  const first: unknown = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  const level = Number((first as { access_level?: unknown } | undefined)?.access_level);
  return level === 30 || level === 40 ? level : null;
}

/** The level that rules stand for; null when they are none of the five. What is not given is as protected as can be. */
export function levelOf(given: Readonly<Record<string, unknown>>): number | null {
  const { allowed_to_push = maintainer, allowed_to_merge = maintainer, ...rest } = given;
  const { allow_force_push, developer_can_initial_push, ...unknown } = rest;
  const push = roleOf(allowed_to_push);
  const merge = roleOf(allowed_to_merge);
  if (push === null || merge === null || Object.keys(unknown).length > 0) return null;
  if (push === 30) return merge === 30 && yes(allow_force_push) ? 0 : yes(allow_force_push) ? null : 1;
  if (yes(allow_force_push)) return null;
  if (merge === 30) return 3;
  return yes(developer_can_initial_push) ? 4 : 2;
}
