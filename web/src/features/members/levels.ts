/** Levels of members by name, as the ecosystem calls them. */
export const levels = [
  { value: '10', label: 'Guest' },
  { value: '15', label: 'Planner' },
  { value: '20', label: 'Reporter' },
  { value: '30', label: 'Developer' },
  { value: '40', label: 'Maintainer' },
  { value: '50', label: 'Owner' },
] as const;

export const levelName = (level: number): string =>
  levels.find((each) => each.value === String(level))?.label ?? `Level ${level}`;
