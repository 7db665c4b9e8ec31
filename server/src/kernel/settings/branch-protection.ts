/** Protection of default branches: rules in any combination, and the five levels that older clients know. */

/** Lowest roles: 0 no one, 30 developers, 40 maintainers, 60 administrators. */
const roles: readonly number[] = [0, 30, 40, 60];

interface Grant {
  readonly access_level: number;
}

export interface BranchProtection {
  readonly allowed_to_push: readonly Grant[];
  readonly allow_force_push: boolean;
  readonly allowed_to_merge: readonly Grant[];
  readonly developer_can_initial_push?: boolean;
  readonly code_owner_approval_required?: boolean;
}

const developer = [{ access_level: 30 }];
const maintainer = [{ access_level: 40 }];

/** In the order of the levels. */
const levels = [
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
] as const satisfies readonly BranchProtection[];

const full: BranchProtection = levels[2];

/** The rules of a level. */
export const protectionOf = (level: number): BranchProtection => levels[level] ?? full;

function flagOf(value: unknown): boolean | null {
  if (value === true || value === 'true' || value === '1') return true;
  return value === false || value === 'false' || value === '0' ? false : null;
}

function grantsOf(value: unknown): Grant[] | null {
  if (!Array.isArray(value)) return null;
  const grants = value.map((item: unknown) => {
    const { access_level: role, ...unknown } = (item ?? {}) as { readonly access_level?: unknown };
    const level = typeof role === 'string' && /^\d{1,2}$/.test(role) ? Number(role) : role;
    return typeof level === 'number' && roles.includes(level) && Object.keys(unknown).length === 0
      ? { access_level: level }
      : null;
  });
  return grants.length > 0 && grants.every((grant) => grant !== null) ? grants : null;
}

const readers = {
  allowed_to_push: grantsOf,
  allow_force_push: flagOf,
  allowed_to_merge: grantsOf,
  developer_can_initial_push: flagOf,
  code_owner_approval_required: flagOf,
} as const;

/** Rules as they are stored; null when a key or a value is none. What is not given is as protected as can be. */
export function parseProtection(given: Readonly<Record<string, unknown>>): BranchProtection | null {
  const rules: Record<string, unknown> = { ...full };
  for (const [key, value] of Object.entries(given)) {
    const read = Object.hasOwn(readers, key) ? readers[key as keyof typeof readers](value) : null;
    if (read === null) return null;
    rules[key] = read;
  }
  return rules as unknown as BranchProtection;
}

const lets = (grants: readonly Grant[], role: number) => grants.some((grant) => grant.access_level === role);

/** The level that the rules stand for, or the one that is nearest to them. */
export function levelOf(rules: BranchProtection): number {
  const merge = lets(rules.allowed_to_merge, 30);
  if (lets(rules.allowed_to_push, 30)) return merge && rules.allow_force_push ? 0 : 1;
  if (merge) return 3;
  return rules.developer_can_initial_push ? 4 : 2;
}

/** Whether the rules leave a branch as open as it is without any. */
export const protectsNothing = (rules: BranchProtection): boolean =>
  lets(rules.allowed_to_push, 30) && lets(rules.allowed_to_merge, 30) && rules.allow_force_push;

/** Whether developers make the first branch of an empty repository. */
export const letsDevelopersStart = (rules: BranchProtection): boolean =>
  lets(rules.allowed_to_push, 30) || rules.developer_can_initial_push === true;
