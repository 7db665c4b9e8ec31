/** Where a comment on a change stands after a push: its line is followed through the changes of its file. */
import { lineCode, type Position } from '../../collaboration/notes/index.ts';
import type { FilePatch } from '../../repository/index.ts';
import { movedLines } from '../suggestions/blocks.ts';

/** What one file became between two commits, or what it was before; null where it is the same. */
export type PatchReader = (from: string, to: string, path: string, side: 'old' | 'new') => Promise<FilePatch | null>;

export interface Refs {
  readonly base_sha: string;
  readonly start_sha: string;
  readonly head_sha: string;
}

export interface Traced {
  readonly position: Position;
  readonly lineCode: string | null;
}

interface Line {
  readonly path: string;
  readonly line: number;
}

interface Numbers {
  readonly old_line?: number | null | undefined;
  readonly new_line?: number | null | undefined;
}

interface RangeEnd extends Numbers {
  readonly line_code?: string | null;
  readonly type?: string | null;
}

const hunks = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm;

/**
 * A line of one side of a patch without context: whether that side alone has it, and its number on the other side, which is
 * that of the next line where the other side does not have it.
 */
export function acrossPatch(patch: string, line: number, side: 'old' | 'new'): { changed: boolean; other: number } {
  let shift = 0;
  for (const [, from, removed = '1', to, added = '1'] of patch.matchAll(hunks)) {
    const [oldCount, newCount] = [Number(removed), Number(added)];
    // Of a hunk without lines of a side the number is that of the line before.
    const oldStart = Number(from) + (oldCount === 0 ? 1 : 0);
    const newStart = Number(to) + (newCount === 0 ? 1 : 0);
    const [start, count] = side === 'old' ? [oldStart, oldCount] : [newStart, newCount];
    if (line < start) break;
    if (line < start + count) return { changed: true, other: side === 'old' ? newStart : oldStart + oldCount };
    shift = side === 'old' ? newCount - oldCount + (newStart - oldStart) : oldCount - newCount + (oldStart - newStart);
  }
  return { changed: false, other: line + shift };
}

/** The same line of a file at a later commit; null where it was changed or removed. */
async function forward(read: PatchReader, from: string, to: string, { path, line }: Line): Promise<Line | null> {
  const patch = from === to ? null : await read(from, to, path, 'old');
  if (patch === null) return { path, line };
  const moved = patch.deleted || patch.diff === null ? null : movedLines(patch.diff, line, line);
  return moved && { path: patch.new_path, line: moved.from };
}

/** A line of one side as a place in the change between two commits; null where the change does not have its file. */
async function placed(read: PatchReader, refs: Refs, { path, line }: Line, side: 'old' | 'new') {
  const patch = await read(refs.base_sha, refs.head_sha, path, side);
  if (patch?.diff == null) return null;
  const { changed, other } = acrossPatch(patch.diff, line, side);
  const [before, after] = side === 'old' ? [line, other] : [other, line];
  const one = side === 'old' ? { old_line: line, new_line: null } : { old_line: null, new_line: line };
  return {
    paths: { old_path: patch.old_path, new_path: patch.new_path },
    numbers: changed ? one : { old_line: before, new_line: after },
    type: changed ? side : null,
    code: lineCode(patch.new_path, { type: null, old: before, new: after }),
  };
}

/** Follows a line by its number after the change, or before it where it was removed. */
async function followed(read: PatchReader, position: Position, { old_line, new_line }: Numbers, refs: Refs) {
  const isOld = new_line == null;
  const [path, line] = isOld ? [position.old_path, old_line] : [position.new_path, new_line];
  if (path === null || line == null) return null;
  const [from, to] = isOld ? [position.base_sha, refs.base_sha] : [position.head_sha, refs.head_sha];
  const now = await forward(read, from, to, { path, line });
  return now && (await placed(read, refs, now, isOld ? 'old' : 'new'));
}

/** The numbers of an end of a range, which clients may give by the name of the line alone. */
function numbersOf({ line_code, type, old_line, new_line }: RangeEnd): Numbers {
  if (old_line != null || new_line != null) return { old_line, new_line };
  const [, before, after] = /_(\d{1,9})_(\d{1,9})$/.exec(line_code ?? '') ?? [];
  if (before === undefined || after === undefined) return {};
  return type === 'old' ? { old_line: Number(before) } : { new_line: Number(after) };
}

async function rangeAfter(read: PatchReader, position: Position, refs: Refs) {
  const range = position.line_range as { readonly start?: RangeEnd; readonly end?: RangeEnd } | null | undefined;
  if (!range?.start || !range.end) return null;
  const [start, end] = [
    await followed(read, position, numbersOf(range.start), refs),
    await followed(read, position, numbersOf(range.end), refs),
  ];
  if (!start || !end) return null;
  const endOf = ({ code, type, numbers }: typeof start) => ({ line_code: code, type, ...numbers });
  return { start: endOf(start), end: endOf(end) };
}

/** A comment on a whole file, or on a picture, follows the file. */
async function fileAfter(read: PatchReader, position: Position, refs: Refs): Promise<Position | null> {
  const { new_path: path, head_sha: from } = position;
  const moved = path === null || from === refs.head_sha ? null : await read(from, refs.head_sha, path, 'old');
  const now = moved && !moved.deleted ? moved.new_path : path;
  const [after, before] = [
    now === null ? null : await read(refs.base_sha, refs.head_sha, now, 'new'),
    position.old_path === null ? null : await read(refs.base_sha, refs.head_sha, position.old_path, 'old'),
  ];
  const file = after ?? before;
  return file && { ...position, ...refs, old_path: file.old_path, new_path: file.new_path };
}

/** Null where the line, or its file, is no longer part of the change. */
export async function traced(read: PatchReader, position: Position, refs: Refs): Promise<Traced | null> {
  if (position.position_type !== 'text') {
    const now = await fileAfter(read, position, refs);
    return now && { position: now, lineCode: null };
  }
  const line = await followed(read, position, position, refs);
  if (!line) return null;
  const line_range = await rangeAfter(read, position, refs);
  return { position: { ...position, ...refs, ...line.paths, ...line.numbers, line_range }, lineCode: line.code };
}
