/** Unified diff text (hunks only, as the API sends them) to lines with numbers, and lines to pairs for two columns. Pure. */

export interface DiffLine {
  readonly kind: 'added' | 'removed' | 'same' | 'hunk' | 'note';
  readonly old: number | null;
  readonly now: number | null;
  readonly text: string;
}
export interface DiffPair {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

export function parseHunks(diff: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 0;
  let now = 0;
  const all = diff.split('\n');
  if (all.at(-1) === '') all.pop();
  for (const line of all) {
    const match = header.exec(line);
    const text = line.slice(1);
    if (match) {
      old = Number(match[1]);
      now = Number(match[2]);
      lines.push({ kind: 'hunk', old: null, now: null, text: line });
    } else if (line.startsWith('+')) lines.push({ kind: 'added', old: null, now: now++, text });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', old: old++, now: null, text });
    else if (line.startsWith('\\')) lines.push({ kind: 'note', old: null, now: null, text: text.trim() });
    // Of a binary file, which has no hunks.
    else if (lines.length === 0) lines.push({ kind: 'note', old: null, now: null, text: line });
    else lines.push({ kind: 'same', old: old++, now: now++, text });
  }
  return lines;
}

/** Whether it is the first line of the file, before or after. */
export const startsFile = ({ old, now }: DiffLine): boolean => old === 1 || now === 1;

/** Removed lines stand beside the added ones that follow them. */
export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const pairs: DiffPair[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      pairs.push({ left: removed[index] ?? null, right: added[index] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else if (line.kind === 'note' && removed.length + added.length > 0) continue;
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}

/** Lines added and removed. */
export function countChanges(diff: string): { added: number; removed: number } {
  const lines = parseHunks(diff);
  return {
    added: lines.filter((line) => line.kind === 'added').length,
    removed: lines.filter((line) => line.kind === 'removed').length,
  };
}

/** The lines of a whole file after the change, with what the hunks removed; the text is that of the file after it. */
export function wholeFile(hunks: readonly DiffLine[], text: string): DiffLine[] {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const lines: DiffLine[] = [];
  let [old, now] = [1, 1];
  const fill = (until: number) => {
    while (now < until && now <= all.length) lines.push({ kind: 'same', old: old++, now, text: all[now++ - 1] ?? '' });
  };
  for (const line of hunks) {
    const start = header.exec(line.text);
    if (line.kind === 'hunk') {
      // Of a hunk without lines after the change the number is that of the line before.
      if (start) fill(Number(start[2]) + (/\+\d+,0 @@/.test(line.text) ? 1 : 0));
      continue;
    }
    lines.push(line);
    if (line.old !== null) old = line.old + 1;
    if (line.now !== null) now = line.now + 1;
  }
  fill(Number.POSITIVE_INFINITY);
  return lines;
}
