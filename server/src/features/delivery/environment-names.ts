/** Names of environments: which are valid, and the tier that a name stands for. Pure. */
export const tiers = ['production', 'staging', 'testing', 'development', 'other'] as const;
export type Tier = (typeof tiers)[number];
export const environmentStates = ['available', 'stopping', 'stopped'] as const;

const maxNameLength = 255;
const validName = /^[A-Za-z0-9_\\${}. -][A-Za-z0-9_/\\${}. -]*$/;

/** Why an environment cannot have the name; null where it can. */
export function nameProblem(name: string): string | null {
  if (name === '') return "can't be blank";
  if (name.length > maxNameLength) return `is too long (maximum is ${maxNameLength} characters)`;
  if (!validName.test(name) || name.endsWith('/'))
    return "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
  return null;
}

const guesses: ReadonlyArray<readonly [pattern: RegExp, tier: Tier]> = [
  [/dev|review|trunk/i, 'development'],
  [/test|tst|int|accept|acpt|qa|qc|control|quality/i, 'testing'],
  [/stag|stg|model|modl|pre|demo|non/i, 'staging'],
  [/prod|prd|live/i, 'production'],
];

export const guessTier = (name: string): Tier => guesses.find(([pattern]) => pattern.test(name))?.[1] ?? 'other';

/** Whether pages may link to it. */
export function isExternalUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return text.length <= 2048 && (url?.protocol === 'http:' || url?.protocol === 'https:');
}
