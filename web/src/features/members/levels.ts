/** Levels of members by name, as the ecosystem calls them. */
export const levels = [
  { value: '10', label: 'Guest' },
  { value: '15', label: 'Planner' },
  { value: '20', label: 'Reporter' },
  { value: '30', label: 'Developer' },
  { value: '40', label: 'Maintainer' },
  { value: '50', label: 'Owner' },
] as const;

const minimal = { value: '5', label: 'Minimal access' } as const;

/** The levels that a place gives: top-level groups also give the one that sees nothing but their name. */
export const levelsOf = (topLevelGroup: boolean): Array<{ value: string; label: string }> => [
  ...(topLevelGroup ? [minimal] : []),
  ...levels,
];

export const levelName = (level: number): string =>
  [minimal, ...levels].find((each) => each.value === String(level))?.label ?? `Level ${level}`;
