/** Suggestions in a comment: fenced blocks that say what is to stand in place of lines. Pure. */

export interface SuggestionBlock {
  /** Lines before the one of the comment, and after it, that it replaces too. */
  readonly above: number;
  readonly below: number;
  readonly content: string;
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const opening = /^suggestion(?::-(\d{1,3})\+(\d{1,3}))?[ \t]*$/;
/** Lines that a block may reach to either side. */
const mostLines = 100;
const mostBlocks = 100;

/** The blocks of a text, in their order; what is inside of another block is text of that. */
export function suggestionBlocks(text: string): SuggestionBlock[] {
  const blocks: SuggestionBlock[] = [];
  let open: { readonly mark: string; readonly info: string; readonly lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const [, mark = '', info = ''] = fence.exec(line) ?? [];
    if (open === null) {
      if (mark !== '') open = { mark, info: info.trim(), lines: [] };
      continue;
    }
    const closes = mark !== '' && info.trim() === '' && mark[0] === open.mark[0] && mark.length >= open.mark.length;
    if (!closes) {
      open.lines.push(line);
      continue;
    }
    const wanted = opening.exec(open.info);
    const [above, below] = [Number(wanted?.[1] ?? 0), Number(wanted?.[2] ?? 0)];
    if (wanted && above <= mostLines && below <= mostLines && blocks.length < mostBlocks)
      blocks.push({ above, below, content: open.lines.map((each) => `${each}\n`).join('') });
    open = null;
  }
  return blocks;
}

/** Lines of a text, each with its end. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

/** Some lines of a text, from one; null where it does not have them all. */
export function textOf(text: string, from: number, to: number): string | null {
  const lines = linesOf(text);
  return from < 1 || to > lines.length ? null : lines.slice(from - 1, to).join('');
}

/**
 * Where lines of a file are after a patch of it; null where the patch touches them. Of a file that the patch does not have
 * they are where they were.
 */
export function movedLines(
  patch: string,
  from: number,
  to: number,
): { readonly from: number; readonly to: number } | null {
  let [before, shift] = [0, 0];
  for (const line of patch.split('\n')) {
    const start = /^@@ -(\d+)(?:,(\d+))? \+/.exec(line);
    // Of a hunk without lines of the old file the number is that of the line before.
    if (start) before = Number(start[1]) + (start[2] === '0' ? 1 : 0);
    else if (line.startsWith('-')) {
      if (before >= from && before <= to) return null;
      if (before < from) shift -= 1;
      before += 1;
    } else if (line.startsWith('+')) {
      if (before > from && before <= to) return null;
      if (before <= from) shift += 1;
    } else if (line.startsWith(' ')) before += 1;
  }
  return { from: from + shift, to: to + shift };
}
