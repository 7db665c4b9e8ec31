/** Values of JSON that others wrote, as what they should be. */

/** An object as JSON has it. */
export type Row = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object; an empty one for everything else. */
export const record = (value: unknown): Row => (isRecord(value) ? value : {});

/** A text with something in it; null for everything else. */
export const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/** The object that a text says; null where it says none. */
export function recordIn(said: string): Row | null {
  try {
    const value: unknown = JSON.parse(said);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
