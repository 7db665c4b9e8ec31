/** Finds lines in a log that arrives in pieces, counted as the job page shows them. Pure. */

export interface LogLine {
  /** From 1. */
  readonly line: number;
  /** Where the line begins in the log. */
  readonly startByte: number;
  /** The line without its end and the runner's times; at most `keptBytes` of it. */
  readonly data: Buffer;
}

/** Bytes of one line that are looked at: what a line without an end holds in memory. */
export const keptBytes = 64 * 1024;

const escapeCharacter = String.fromCharCode(27);
const marker = new RegExp(`^section_(start|end):\\d+:[\\w.-]+(?:\\[[^\\]]*\\])?\\r(?:${escapeCharacter}\\[0K)?`);
const sequences = new RegExp(`${escapeCharacter}\\[[0-9;]*[A-Za-z]`, 'g');
const sectionEnd = Buffer.from('section_end:');
/** Official runners write time, stream and kind in front of every line; a plus continues the line before of its stream. */
const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z ([\da-f]{2}[OE])([ +])/;
const stampBytes = 32;

/** A line without what a runner wrote in front of it. */
export const withoutStamp = (line: string): string => (stamp.test(line) ? line.slice(stampBytes) : line);

/** What a terminal shows of a line: nothing of markers, escape sequences, and what was written over. */
export function visibleText(line: string): string {
  let rest = line;
  for (let match = marker.exec(rest); match; match = marker.exec(rest)) rest = rest.slice(match[0].length);
  rest = rest.replace(/\r+$/, '');
  return rest.slice(rest.lastIndexOf('\r') + 1).replace(sequences, '');
}

/** Holds what `visibleText` gives for each of the lines, in their order, and perhaps more. */
export const withVisibleText = (lines: string): string => lines.replace(sequences, '');

/** Whether a line only ends sections: such lines are not shown and have no number. */
function onlyEnds(data: Buffer): boolean {
  if (!data.subarray(0, sectionEnd.length).equals(sectionEnd)) return false;
  let rest = data.toString('utf8');
  for (let match = marker.exec(rest); match; match = marker.exec(rest)) {
    if (match[1] === 'start') return false;
    rest = rest.slice(match[0].length);
  }
  return visibleText(rest) === '';
}

const concatenated = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);

/** Pieces of one line, of which no more than `keptBytes` are held. */
function keeper() {
  let pieces: Buffer[] = [];
  let size = 0;
  return {
    add(piece: Buffer): void {
      if (size >= keptBytes || piece.length === 0) return;
      const part = piece.subarray(0, keptBytes - size);
      pieces.push(part);
      size += part.length;
    },
    take(): Buffer {
      const data = concatenated(pieces);
      pieces = [];
      size = 0;
      return data;
    },
  };
}

/** Whole lines in which every line is shown and is as it was written, without a time in front. */
export interface LogBlock {
  /** Of the first of them. */
  readonly line: number;
  readonly startByte: number;
  /** How many. */
  readonly lines: number;
  readonly data: Buffer;
}

const isStamp = (data: Buffer, at: number): boolean => data[at + 4] === 45 && data[at + 10] === 84;

/** How many lines end in the block; -1 where one of them may have to be joined or left out. */
function plainLines(block: Buffer): number {
  if (block.includes(sectionEnd)) return -1;
  let lines = 0;
  for (let at = 0; at < block.length; at = block.indexOf(10, at) + 1) {
    if (isStamp(block, at)) return -1;
    lines += 1;
  }
  return lines;
}

/**
 * Calls `visit` for each line that is shown; `end` for a last line without an end. Lines of a block of which `passed` says that
 * nobody needs them are counted and not visited: a search looks at a block as a whole, a hundred times as fast as at its lines.
 */
export function lineScanner(visit: (line: LogLine) => void, passed: (block: LogBlock) => boolean = () => false) {
  let line = 0;
  let startByte = 0;
  let position = 0;
  const kept = keeper();
  /** A line that the next one may continue. */
  let open: { readonly startByte: number; readonly stream: string } | null = null;
  const held = keeper();

  function show(data: Buffer, begin: number): void {
    if (onlyEnds(data)) return;
    line += 1;
    visit({ line, startByte: begin, data });
  }

  function close(): void {
    if (open) show(held.take(), open.startByte);
    open = null;
  }

  function finish(): void {
    const data = kept.take();
    // Without a year in front there is nothing to look for: most logs have no times.
    const [, stream, more] = isStamp(data, 0) ? (stamp.exec(data.toString('latin1', 0, stampBytes)) ?? []) : [];
    if (stream === undefined) {
      close();
      show(data, startByte);
      return;
    }
    if (more !== '+' || open?.stream !== stream) {
      close();
      open = { startByte, stream };
    }
    held.add(data.subarray(stampBytes));
  }

  /** Takes lines, or a part of one, as they come. */
  function take(data: Buffer): void {
    let at = 0;
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, at)) {
      kept.add(data.subarray(at, end));
      finish();
      at = end + 1;
      startByte = position + at;
    }
    kept.add(data.subarray(at));
    position += data.length;
  }

  /** Takes whole lines; whether they did not have to be looked at one by one. */
  function pass(data: Buffer): boolean {
    const lines = plainLines(data);
    if (lines < 0) return false;
    close();
    if (!passed({ line: line + 1, startByte, lines, data })) return false;
    line += lines;
    position += data.length;
    startByte = position;
    return true;
  }

  /** Takes at most as many bytes as are kept of a line: then a block holds no line that is cut. */
  function takeBlock(data: Buffer): void {
    // What is left of the line before.
    const begin = position > startByte ? data.indexOf(10) + 1 : 0;
    const end = data.lastIndexOf(10) + 1;
    if (end <= begin) {
      take(data);
      return;
    }
    if (begin > 0) take(data.subarray(0, begin));
    const whole = data.subarray(begin, end);
    if (!pass(whole)) take(whole);
    if (end < data.length) take(data.subarray(end));
  }

  return {
    push(data: Buffer): void {
      for (let at = 0; at < data.length; at += keptBytes) takeBlock(data.subarray(at, at + keptBytes));
    },
    /** How many lines there are; a last line without an end is one. */
    end(): number {
      if (position > startByte) finish();
      close();
      return line;
    },
  };
}
