/**
 * `$[[ ... ]]` in a text. While YAML is read each block is a word of the same length, so that it may stand where YAML
 * gives brackets a meaning (keys, lists on one line) and every place in the file stays what it was.
 */
import { CompileFailure, fail, failLimit, type Located, type Mark, type Problems } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';

export type Block = {
  /** With its brackets, as written. */
  readonly source: string;
  /** What is between them, without blanks around it. */
  readonly data: string;
  readonly mark: Mark;
};

export type Template = {
  readonly text: string;
  /** Whether a text read from `text` has blocks. */
  has(part: string): boolean;
  /** The one block that a text is made of; null when it is more or less than that. */
  whole(part: string): Block | null;
  replace(part: string, value: (block: Block) => string): string;
  /** The text as it was written. */
  restore(part: string): string;
  /** Problems whose messages show what was written. */
  restoring(problems: Problems): Problems;
  /** Runs `read`, a failure of which says what was written. */
  guard<T>(read: () => T): T;
};

const ID = 3;

export function templateOf(file: string, text: string, limits: Limits): Template {
  const found = scan(text);
  if (found.length === 0) return plainTemplate(text);
  if (found.length > limits.interpolations) {
    const mark = markAt(file, text, found[limits.interpolations]!.start);
    failLimit(mark, 'interpolation blocks in one file', limits, 'interpolations', found.length);
  }
  const marks = marksOf(file, text, found);
  const blocks = found.map(({ start, end, data }, index) => ({
    source: text.slice(start, end),
    data,
    mark: marks[index]!,
  }));
  const [open, pad] = unusedPair(text) ?? fail(marks[0]!, 'the file uses every character of the private area');
  const word = new RegExp(`${open}([0-9a-z]{${ID}})${pad}*`, 'g');
  let at = 0;
  const parts = found.flatMap(({ start, end }, index) => {
    const before = text.slice(at, start);
    at = end;
    return [before, (open + index.toString(36).padStart(ID, '0')).padEnd(end - start, pad)];
  });
  const blockOf = (id: string) => blocks[Number.parseInt(id, 36)];
  const replace: Template['replace'] = (part, value) =>
    part.includes(open)
      ? part.replace(word, (all, id: string) => {
          const block = blockOf(id);
          return block ? value(block) : all;
        })
      : part;
  const restore = (part: string) => replace(part, ({ source }) => source);
  const restored = (located: Located): Located => ({ ...located, message: restore(located.message) });
  return {
    text: parts.join('') + text.slice(at),
    has: (part) => part.includes(open),
    whole: (part) => {
      if (!part.startsWith(open)) return null;
      word.lastIndex = 0;
      const match = word.exec(part);
      return match && match[0].length === part.length ? (blockOf(match[1]!) ?? null) : null;
    },
    replace,
    restore,
    restoring: (problems) => ({
      ...problems,
      error: (mark, message, limit) => problems.error(mark, restore(message), limit),
      warn: (mark, message) => problems.warn(mark, restore(message)),
    }),
    guard: (read) => {
      try {
        return read();
      } catch (error) {
        throw error instanceof CompileFailure ? new CompileFailure(restored(error.located)) : error;
      }
    },
  };
}

function plainTemplate(text: string): Template {
  return {
    text,
    has: () => false,
    whole: () => null,
    replace: (part) => part,
    restore: (part) => part,
    restoring: (problems) => problems,
    guard: (read) => read(),
  };
}

type Found = { readonly start: number; readonly end: number; readonly data: string };

/** The blocks of a text, each on one line; one pass, however many are never closed. */
function scan(text: string): Found[] {
  const found: Found[] = [];
  let close = -1;
  let start = text.indexOf('$[[');
  while (start >= 0) {
    const inside = start + 3;
    if (close < inside) close = text.indexOf(']]', inside);
    if (close < 0) break;
    const newline = text.slice(inside, close).indexOf('\n');
    if (newline >= 0) {
      start = text.indexOf('$[[', inside + newline + 1);
      continue;
    }
    // The index of a list may stand before the end: `$[[ inputs.a[0]]]`.
    const end = text[close + 2] === ']' && opened(text.slice(inside, close)) ? close + 3 : close + 2;
    found.push({ start, end, data: text.slice(inside, end - 2).trim() });
    start = text.indexOf('$[[', end);
  }
  return found;
}

const opened = (text: string): boolean => text.lastIndexOf('[') > text.lastIndexOf(']');

function markAt(file: string, text: string, offset: number): Mark {
  const before = text.slice(0, offset);
  return { file, line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** The places of all blocks in one walk over the lines. */
function marksOf(file: string, text: string, found: readonly Found[]): Mark[] {
  let line = 1;
  let lineStart = 0;
  let next = text.indexOf('\n');
  return found.map(({ start }) => {
    while (next >= 0 && next < start) {
      line++;
      lineStart = next + 1;
      next = text.indexOf('\n', lineStart);
    }
    return { file, line, column: start - lineStart + 1 };
  });
}

/** Two characters of the private area that the text does not use. */
function unusedPair(text: string): [string, string] | null {
  const used = new Set(text.match(/[\uE000-\uF8FF]/g));
  const free: string[] = [];
  for (let code = 0xe000; code <= 0xf8ff && free.length < 2; code++) {
    const character = String.fromCharCode(code);
    if (!used.has(character)) free.push(character);
  }
  return free.length === 2 ? [free[0]!, free[1]!] : null;
}
