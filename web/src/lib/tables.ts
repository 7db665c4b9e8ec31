/** Tables in text (CSV, TSV) to rows of cells. Pure. */

export interface TextTable {
  readonly rows: readonly (readonly string[])[];
  /** Whether there are more rows or columns than these. */
  readonly more: boolean;
}

const mostRows = 1_000;
const mostColumns = 100;

/** Cells may be in quotes, in which two quotes are one, and lines end. A quote that nobody closes ends with the text. */
export function readTable(text: string, separator: ',' | '\t' | ';'): TextTable {
  const rows: string[][] = [];
  let [row, cell, quoted, more] = [[] as string[], '', false, false];
  const endCell = () => {
    if (row.length < mostColumns) row.push(cell);
    else more = true;
    cell = '';
  };
  const endRow = () => {
    endCell();
    rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at] ?? '';
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (letter === '"' && cell === '') quoted = true;
    else if (letter === separator) endCell();
    else if (letter === '\n') {
      endRow();
      if (rows.length === mostRows && at + 1 < text.length) return { rows, more: true };
    } else if (letter !== '\r') cell += letter;
  }
  if (cell !== '' || row.length > 0) endRow();
  return { rows, more };
}

/** What stands between the cells of a file; null for files that are no tables. */
export function separatorOf(name: string, text: string): ',' | '\t' | ';' | null {
  if (/\.tsv$/i.test(name)) return '\t';
  if (!/\.csv$/i.test(name)) return null;
  const [first = ''] = text.split('\n', 1);
  return first.split(';').length > first.split(',').length ? ';' : ',';
}
