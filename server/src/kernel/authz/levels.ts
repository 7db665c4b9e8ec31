/** Roles as the integers that the API speaks. */
export const Level = {
  none: 0,
  minimal: 5,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
} as const;
export type Level = (typeof Level)[keyof typeof Level];

/** The levels that a member can be given. */
export const memberLevels = [5, 10, 15, 20, 30, 40, 50] as const;
