/** Finds lines in a log that arrives in pieces, counted as the job page shows them. Pure. */

export interface LogLine {
  /** From 1. */
  readonly line: number;
  /** Where the line begins in the log. */
  readonly startByte: number;
  /** The line without its end; at most `keptBytes` of it. */
  readonly data: Buffer;
}

/** Bytes of one line that are looked at: what a line without an end holds in memory. */
export const keptBytes = 64 * 1024;

const escapeCharacter = String.fromCharCode(27);
const marker = new RegExp(`^section_(start|end):\\d+:[\\w.-]+(?:\\[[^\\]]*\\])?\\r(?:${escapeCharacter}\\[0K)?`);
const sequences = new RegExp(`${escapeCharacter}\\[[0-9;]*[A-Za-z]`, 'g');
const sectionEnd = Buffer.from('section_end:');

/** What a terminal shows of a line: nothing of markers, escape sequences, and what was written over. */
export function visibleText(line: string): string {
  let rest = line;
  for (let match = marker.exec(rest); match; match = marker.exec(rest)) rest = rest.slice(match[0].length);
  rest = rest.replace(/\r+$/, '');
  return rest.slice(rest.lastIndexOf('\r') + 1).replace(sequences, '');
}

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

/** Calls `visit` for each line that is shown; `end` for a last line without an end. */
export function lineScanner(visit: (line: LogLine) => void) {
  let line = 0;
  let startByte = 0;
  let position = 0;
  let kept: Buffer[] = [];
  let keptSize = 0;

  function keep(piece: Buffer): void {
    if (keptSize >= keptBytes || piece.length === 0) return;
    const part = piece.subarray(0, keptBytes - keptSize);
    kept.push(part);
    keptSize += part.length;
  }

  function finish(): void {
    const [only = Buffer.alloc(0)] = kept;
    const data = kept.length > 1 ? Buffer.concat(kept) : only;
    if (!onlyEnds(data)) {
      line += 1;
      visit({ line, startByte, data });
    }
    kept = [];
    keptSize = 0;
  }

  return {
    push(data: Buffer): void {
      let at = 0;
      for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, at)) {
        keep(data.subarray(at, end));
        finish();
        at = end + 1;
        startByte = position + at;
      }
      keep(data.subarray(at));
      position += data.length;
    },
    end(): void {
      if (position > startByte) finish();
    },
  };
}
