/** What the buttons of the toolbar do to a text and its selection. Pure: the part that is replaced, and what is selected then. */

export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly select: readonly [from: number, to: number];
}

export type Format =
  | 'bold'
  | 'italic'
  | 'strike'
  | 'code'
  | 'link'
  | 'quote'
  | 'list'
  | 'numbers'
  | 'tasks'
  | 'heading';

const marks: Partial<Record<Format, string>> = { bold: '**', italic: '_', strike: '~~', code: '`' };
const prefixes: Partial<Record<Format, (at: number) => string>> = {
  quote: () => '> ',
  list: () => '- ',
  numbers: (at) => `${at + 1}. `,
  tasks: () => '- [ ] ',
  heading: () => '### ',
};

/** Puts the mark around the selection, or takes it away where it is there. */
function around(text: string, start: number, end: number, mark: string): TextEdit {
  const chosen = text.slice(start, end);
  const size = mark.length;
  if (text.slice(start - size, start) === mark && text.slice(end, end + size) === mark)
    return { start: start - size, end: end + size, text: chosen, select: [start - size, end - size] };
  return { start, end, text: `${mark}${chosen}${mark}`, select: [start + size, end + size] };
}

/** Puts the prefix before each line of the selection, or takes it away where all have it. */
function onLines(text: string, from: number, to: number, prefix: (at: number) => string): TextEdit {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const next = text.indexOf('\n', to);
  const end = next === -1 ? text.length : next;
  const lines = text.slice(start, end).split('\n');
  const all = lines.every((line, at) => line.startsWith(prefix(at)));
  const changed = lines.map((line, at) => (all ? line.slice(prefix(at).length) : prefix(at) + line)).join('\n');
  return {
    start,
    end,
    text: changed,
    select: [start + (lines.length > 1 ? 0 : changed.length), start + changed.length],
  };
}

export function formatted(text: string, start: number, end: number, format: Format): TextEdit {
  const chosen = text.slice(start, end);
  if (format === 'code' && chosen.includes('\n'))
    return { start, end, text: `\`\`\`\n${chosen}\n\`\`\``, select: [start + 4, start + 4 + chosen.length] };
  if (format === 'link') {
    // The place of the address is selected, to be typed or pasted over.
    const from = start + chosen.length + 3;
    return { start, end, text: `[${chosen}](url)`, select: [from, from + 3] };
  }
  const mark = marks[format];
  if (mark !== undefined) return around(text, start, end, mark);
  return onLines(text, start, end, prefixes[format] ?? (() => ''));
}
