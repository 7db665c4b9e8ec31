/** Who may, as one text for a list of choices: `role:40`, `user:7`, `group:3`, `key:5`. */

export interface Entry {
  readonly id: number;
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly deploy_key_id?: number;
  readonly access_level_description: string;
}

/** One of them is there; not all places know all of them. */
interface Grant {
  readonly access_level?: number;
  readonly user_id?: number;
  readonly group_id?: number;
  readonly deploy_key_id?: number;
}

export const roleChoices = [
  { value: 'role:0', label: 'No one' },
  { value: 'role:30', label: 'Developers + Maintainers' },
  { value: 'role:40', label: 'Maintainers' },
  { value: 'role:60', label: 'Instance admins' },
] as const;

/** The choice that an entry of the API is. */
export function choiceOf(entry: Entry): string {
  if (entry.deploy_key_id !== undefined) return `key:${entry.deploy_key_id}`;
  if (entry.user_id !== null) return `user:${entry.user_id}`;
  return entry.group_id !== null ? `group:${entry.group_id}` : `role:${entry.access_level}`;
}

const names = { role: 'access_level', user: 'user_id', group: 'group_id', key: 'deploy_key_id' } as const;

/** What the API is told of a choice. */
export function grantOf(choice: string): Grant {
  const [kind = 'role', id = '0'] = choice.split(':');
  return { [names[kind as keyof typeof names]]: Number(id) };
}

/** What makes the chosen out of what is there. */
export const changesTo = (entries: readonly Entry[], chosen: readonly string[]) => [
  ...entries.filter((entry) => !chosen.includes(choiceOf(entry))).map(({ id }) => ({ id, _destroy: true })),
  ...chosen.filter((choice) => !entries.some((entry) => choiceOf(entry) === choice)).map(grantOf),
];

/** In words, for lists. */
export const inWords = (entries: readonly Entry[]): string =>
  entries.length === 0 ? 'No one' : entries.map((entry) => entry.access_level_description).join(', ');
