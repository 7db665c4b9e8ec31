/** Job logs: bytes of a terminal to lines of styled text, with the runner's sections. Pure and incremental. */

export interface Style {
  readonly color: number | null;
  readonly background: number | null;
  readonly bold: boolean;
  readonly dim: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
}
export interface Span {
  readonly text: string;
  readonly style: Style;
}
export interface Line {
  readonly number: number;
  readonly spans: readonly Span[];
  /** Names of the open sections, outermost first. */
  readonly sections: readonly string[];
  /** Set on the line that opens a section. */
  readonly opens: string | null;
  /** When the runner read it, where it says so. */
  readonly at: string | null;
}
export interface Section {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly collapsed: boolean;
}
export interface Log {
  readonly lines: readonly Line[];
  readonly sections: ReadonlyMap<string, Section>;
}

const plain: Style = { color: null, background: null, bold: false, dim: false, italic: false, underline: false };
const escapeCharacter = String.fromCharCode(27);
const section = new RegExp(`^section_(start|end):(\\d+):([\\w.-]+)(?:\\[([^\\]]*)\\])?\\r(?:${escapeCharacter}\\[0K)?`);
/** Official runners write time, stream and kind in front of every line; a plus continues the line before of its stream. */
const stamp = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([\da-f]{2}[OE])([ +])/;
const sequence = new RegExp(`${escapeCharacter}\\[([0-9;]*)([A-Za-z])`, 'g');

function extended(codes: number[]): number | null {
  const kind = codes.shift();
  if (kind === 5) return codes.shift() ?? null;
  if (kind === 2) codes.splice(0, 3);
  return null;
}

/** The style after one `ESC[...m`. */
function applySgr(style: Style, parameters: string): Style {
  const codes = parameters === '' ? [0] : parameters.split(';').map(Number);
  let next = style;
  for (let code = codes.shift(); code !== undefined; code = codes.shift()) {
    if (code === 0) next = plain;
    else if (code === 1) next = { ...next, bold: true };
    else if (code === 2) next = { ...next, dim: true };
    else if (code === 3) next = { ...next, italic: true };
    else if (code === 4) next = { ...next, underline: true };
    else if (code === 22) next = { ...next, bold: false, dim: false };
    else if (code === 23) next = { ...next, italic: false };
    else if (code === 24) next = { ...next, underline: false };
    else if (code >= 30 && code <= 37) next = { ...next, color: code - 30 };
    else if (code >= 90 && code <= 97) next = { ...next, color: code - 82 };
    else if (code === 38) next = { ...next, color: extended(codes) };
    else if (code === 39) next = { ...next, color: null };
    else if (code >= 40 && code <= 47) next = { ...next, background: code - 40 };
    else if (code >= 100 && code <= 107) next = { ...next, background: code - 92 };
    else if (code === 48) next = { ...next, background: extended(codes) };
    else if (code === 49) next = { ...next, background: null };
  }
  return next;
}

/** Text after the last carriage return: what a terminal shows of a line that was written over. */
function shown(line: string): string {
  const trimmed = line.replace(/\r+$/, '');
  const at = trimmed.lastIndexOf('\r');
  return at === -1 ? trimmed : trimmed.slice(at + 1);
}

interface RawLine {
  text: string;
  readonly at: string | null;
}

/** Lines without the runner's times, whole again where it had written them in pieces; whether the first is a rest. */
function rawLines(text: string): { readonly raw: readonly RawLine[]; readonly begun: boolean } {
  const all = text.split('\n');
  if (all.at(-1) === '') all.pop();
  const raw: RawLine[] = [];
  let stream: string | undefined;
  let begun = false;
  for (const line of all) {
    const [whole = '', at = null, of, more] = stamp.exec(line) ?? [];
    const rest = line.slice(whole.length);
    const before = raw.at(-1);
    if (more === '+' && of === stream && before) before.text += rest;
    else {
      if (more === '+' && !before) begun = true;
      raw.push({ text: rest, at });
    }
    stream = of;
  }
  return { raw, begun };
}

/** Parses a log, or a part of it whose first line has that number. */
export function parseLog(text: string, firstLine = 1): Log {
  const lines: Line[] = [];
  const sections = new Map<string, Section>();
  const open: string[] = [];
  let style = plain;
  const { raw, begun } = rawLines(text);
  // What continues a line of the part before has that line's number.
  const first = begun && firstLine > 1 ? firstLine - 1 : firstLine;
  for (const { text: line, at: time } of raw) {
    let rest = line;
    let opens: string | null = null;
    let marked = false;
    // A line may close one section and open the next.
    for (let match = section.exec(rest); match; match = section.exec(rest)) {
      const [whole, kind, at = '0', name = '', options = ''] = match;
      marked = true;
      rest = rest.slice(whole.length);
      if (kind === 'start') {
        sections.set(name, { name, startedAt: Number(at), endedAt: null, collapsed: /collapsed=true/.test(options) });
        open.push(name);
        opens = name;
      } else {
        const known = sections.get(name);
        if (known) sections.set(name, { ...known, endedAt: Number(at) });
        const index = open.lastIndexOf(name);
        if (index !== -1) open.splice(index);
      }
    }
    const visible = shown(rest);
    const spans: Span[] = [];
    let last = 0;
    for (const match of visible.matchAll(sequence)) {
      const before = visible.slice(last, match.index);
      if (before !== '') spans.push({ text: before, style });
      if (match[2] === 'm') style = applySgr(style, match[1] ?? '');
      last = (match.index ?? 0) + match[0].length;
    }
    const tail = visible.slice(last);
    if (tail !== '') spans.push({ text: tail, style });
    if (marked && spans.length === 0 && opens === null) continue;
    lines.push({ number: lines.length + first, spans, sections: [...open], opens, at: time });
  }
  return { lines, sections };
}
