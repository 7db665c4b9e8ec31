/** Lines of a text, and their numbers in addresses: `#L10` and `#L10-12`. */

/** The lines as they are numbered: what ends the last one begins no other. */
export function linesOf(text: string): string[] {
  const all = text.split(/\r?\n/);
  if (all.at(-1) === '' && all.length > 1) all.pop();
  return all;
}

export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export function parseLines(hash: string): LineRange | null {
  const match = /^#?L(\d+)(?:-L?(\d+))?$/.exec(hash);
  if (!match) return null;
  const [a, b] = [Number(match[1]), Number(match[2] ?? match[1])];
  return { from: Math.min(a, b), to: Math.max(a, b) };
}

export const formatLines = ({ from, to }: LineRange): string => (from === to ? `L${from}` : `L${from}-${to}`);

/** The range after a click on a line; with shift it grows from the one that was chosen. */
export const choose = (before: LineRange | null, line: number, extend: boolean): LineRange =>
  extend && before ? { from: Math.min(before.from, line), to: Math.max(before.from, line) } : { from: line, to: line };
