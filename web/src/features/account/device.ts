/** A browser and system in words from what a browser says of itself; enough to recognise one's own. */
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;
const systems = [
  ['Android', 'Android'],
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

const find = (pairs: readonly (readonly [string, string])[], text: string) =>
  pairs.find(([mark]) => text.includes(mark))?.[1];

/** `Firefox on Linux`; what is unknown is said as it is, cut short. */
export function deviceOf(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  const browser = find(browsers, userAgent);
  if (!browser) return userAgent.slice(0, 60);
  const system = find(systems, userAgent);
  return system ? `${browser} on ${system}` : browser;
}
