/** Places in a change: which lines a patch has, and what a position must say to stand on one. Pure. */
import { createHash } from 'node:crypto';

/** As the API writes it. */
export interface Position {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
  readonly old_path: string | null;
  readonly new_path: string | null;
  readonly position_type: 'text' | 'image' | 'file';
  readonly old_line?: number | null;
  readonly new_line?: number | null;
  readonly line_range?: unknown;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly x?: number | null;
  readonly y?: number | null;
}

export interface ChangedFile {
  readonly old_path: string;
  readonly new_path: string;
  readonly diff: string;
}

/** A line of a patch with its number on both sides: of a side that has it not, the number of the next one. */
export interface PatchLine {
  readonly type: 'new' | 'old' | null;
  readonly old: number;
  readonly new: number;
}

const hunks = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm;
const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of the hunks of one file. */
function patchLines(patch: string): PatchLine[] {
  const lines: PatchLine[] = [];
  let [before, after] = [0, 0];
  for (const text of patch.split('\n')) {
    const start = hunk.exec(text);
    if (start) [before, after] = [Number(start[1]), Number(start[2])];
    else if (text.startsWith('+')) lines.push({ type: 'new', old: before, new: after++ });
    else if (text.startsWith('-')) lines.push({ type: 'old', old: before++, new: after });
    else if (text.startsWith(' ')) lines.push({ type: null, old: before++, new: after++ });
  }
  return lines;
}

/** What names a line for clients: the hash of its file, and its numbers. */
export const lineCode = (path: string, line: PatchLine): string =>
  `${createHash('sha1').update(path).digest('hex')}_${line.old}_${line.new}`;

/** A position with both paths of its file, where it names one of them. */
export function withPaths(files: readonly ChangedFile[], position: Position): Position {
  const { old_path, new_path } = position;
  if ((old_path === null) === (new_path === null)) return position;
  const file = files.find((each) => (new_path === null ? each.old_path === old_path : each.new_path === new_path));
  return file ? { ...position, old_path: file.old_path, new_path: file.new_path } : position;
}

/** The changed line that a comment names by its number on one side; null where the change has none. */
export function changedLine(
  files: readonly ChangedFile[],
  at: { readonly path: string; readonly line: number; readonly type: 'new' | 'old' },
): { readonly file: ChangedFile; readonly line: PatchLine } | null {
  const file = files.find((each) => (at.type === 'old' ? each.old_path : each.new_path) === at.path);
  const line = file && patchLines(file.diff).find((each) => each.type === at.type && each[at.type] === at.line);
  return file && line ? { file, line } : null;
}

/** The line that a position names: added, removed, or unchanged with both numbers; null where the change has none. */
export function positionedLine(files: readonly ChangedFile[], position: Position): PatchLine | null {
  const file = files.find((each) => each.old_path === position.old_path && each.new_path === position.new_path);
  const { old_line: before = null, new_line: after = null } = position;
  if (!file || (before === null && after === null)) return null;
  const type = before === null ? 'new' : after === null ? 'old' : null;
  const same = (line: PatchLine) => (before === null || line.old === before) && (after === null || line.new === after);
  return patchLines(file.diff).find((line) => line.type === type && same(line)) ?? null;
}

/**
 * The line of an unchanged place outside of the hunks, which a position names by both numbers: they must be as far apart as
 * what changed above makes them. Null for a place that is none.
 */
export function shiftedLine(file: ChangedFile, position: Position): PatchLine | null {
  const { old_line: before, new_line: after } = position;
  if (before == null || after == null || before < 1 || after < 1) return null;
  let shift = 0;
  for (const [, from, removed = '1', to, added = '1'] of file.diff.matchAll(hunks)) {
    const end = Number(from) + Number(removed);
    if (Number(from) > before) break;
    if (end > before) return null;
    shift = Number(to) + Number(added) - end;
  }
  return after - before === shift ? { type: null, old: before, new: after } : null;
}
