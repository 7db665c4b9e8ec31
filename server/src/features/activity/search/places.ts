/** Places in a chunk of lines: those that match with the lines around them, neighbours as one. */

/** Lines with a match that are told of one chunk. */
const mostLines = 100;
/** Longer lines are cut around what matches. */
const longestLine = 2_000;
const beforeMatch = 200;

export interface LineMatch {
  /** From 0, in the chunk. */
  readonly line: number;
  /** Where in the line it begins. */
  readonly at: number;
}

export interface ChunkPlace {
  /** From 0 in the chunk; less than that for lines of the chunk before. */
  readonly start: number;
  readonly lines: readonly string[];
}

/** Letters a to z alone: as the index compares them. */
const folded = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

export function linesIn(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Lines that hold a text. */
export function literalMatches(lines: readonly string[], text: string, cased: boolean): LineMatch[] {
  const wanted = cased ? text : folded(text);
  const matches: LineMatch[] = [];
  for (const [line, content] of lines.entries()) {
    const at = (cased ? content : folded(content)).indexOf(wanted);
    if (at >= 0) matches.push({ line, at });
    if (matches.length >= mostLines) break;
  }
  return matches;
}

const shown = (line: string, at = 0): string => {
  const text = line.replace(/\r$/, '');
  if (text.length <= longestLine) return text;
  const from = Math.max(0, Math.min(at - beforeMatch, text.length - longestLine));
  return text.slice(from, from + longestLine);
};

/** What is shown of a chunk; `before` and `behind` are the lines of its neighbours. */
export function placesOf(
  chunk: { readonly before: readonly string[]; readonly lines: readonly string[]; readonly behind: readonly string[] },
  matches: readonly LineMatch[],
  around: number,
): ChunkPlace[] {
  const { before, lines, behind } = chunk;
  const all = [...before, ...lines, ...behind];
  const starts = new Map(matches.map(({ line, at }) => [line, at]));
  const places: { start: number; end: number }[] = [];
  for (const { line } of matches) {
    const start = Math.max(line - around, -before.length);
    const end = Math.min(line + around + 1, lines.length + behind.length);
    const last = places.at(-1);
    if (last && start <= last.end) last.end = end;
    else places.push({ start, end });
  }
  return places.map(({ start, end }) => ({
    start,
    lines: all
      .slice(before.length + start, before.length + end)
      .map((line, index) => shown(line, starts.get(start + index))),
  }));
}
