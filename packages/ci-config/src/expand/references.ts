/**
 * How variables are named in text: `$NAME`, `${NAME}` and `%NAME%`. In the value of a variable `$$`, `%%` and `${}` name nothing and
 * stay for the runner, which makes one dollar sign of `$$`; other texts know no escapes.
 */
const name = '([A-Za-z_][A-Za-z0-9_]*)';
const named = `\\$(?:\\{${name}\\}|${name})|%${name}%`;
const patterns = {
  text: new RegExp(named, 'g'),
  value: new RegExp(`\\$\\$|%%|${named}`, 'g'),
};

export type Place = keyof typeof patterns;

/** Whether there can be references at all. */
export const mayRefer = (text: string): boolean => text.includes('$') || text.includes('%');

/** The names in the order in which they are used, one as often as it is. */
export function namesIn(text: string, place: Place): string[] {
  if (!mayRefer(text)) return [];
  return [...text.matchAll(patterns[place])].flatMap(([, braced, bare, percent]) => braced ?? bare ?? percent ?? []);
}

/** The text with what `replacement` says in the place of each reference, `undefined` leaving it as it is written. */
export function replaceReferences(
  text: string,
  place: Place,
  replacement: (name: string, reference: string) => string | undefined,
): string {
  if (!mayRefer(text)) return text;
  return text.replace(patterns[place], (reference, braced?: string, bare?: string, percent?: string) => {
    const key = braced ?? bare ?? percent;
    return key === undefined ? reference : (replacement(key, reference) ?? reference);
  });
}
