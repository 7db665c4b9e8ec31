/** Comma-separated values: reads files of spreadsheets and writes them. Pure. */

/** What is wrong with a file, and on which line. */
export class CsvError extends Error {
  override readonly name = 'CsvError';
}

export interface CsvRow {
  /** On which line of the file it begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** More columns than any table has are no table. */
const mostFields = 1000;
const separators = [',', ';', '\t'] as const;

/** The separator of the first line: the one that occurs most outside of quotes. */
function separatorOf(text: string): string {
  const end = text.search(/[\r\n]/);
  const header = (end < 0 ? text : text.slice(0, end)).replaceAll(/"[^"]*"/g, '');
  const counted = separators.map((separator) => ({ separator, count: header.split(separator).length }));
  return counted.reduce((best, each) => (each.count > best.count ? each : best)).separator;
}

/** Rows of a file, empty lines left out, one after the other: who reads them decides how many are too many. */
export function* readCsv(text: string): Generator<CsvRow> {
  const separator = separatorOf(text);
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const began = line;
    const fields: string[] = [];
    for (let more = true; more; ) {
      let field = '';
      if (text[at] === '"') {
        const opened = line;
        for (at += 1; ; at += 2) {
          const quote = text.indexOf('"', at);
          if (quote < 0) throw new CsvError(`Line ${opened}: a quoted field is not closed`);
          field += text.slice(at, quote);
          at = quote;
          if (text[quote + 1] !== '"') break;
          field += '"';
        }
        at += 1;
        line += field.split('\n').length - 1;
      } else {
        const start = at;
        while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1;
        field = text.slice(start, at);
      }
      fields.push(field);
      if (fields.length > mostFields) throw new CsvError(`Line ${line}: more than ${mostFields} columns`);
      const next = text[at];
      more = next === separator;
      if (more) {
        at += 1;
      } else if (at < text.length) {
        if (next !== '\n' && next !== '\r') throw new CsvError(`Line ${line}: text follows a quoted field`);
        at += text.startsWith('\r\n', at) ? 2 : 1;
        line += 1;
      }
    }
    if (fields.length > 1 || fields[0] !== '') yield { line: began, fields };
  }
}

/** Spreadsheets take text that begins with one of these for a formula and run it. */
const formula = /^[=+\-@\t\r]/;

/** A text of people, so that no spreadsheet runs it. */
export const inert = (text: string): string => (formula.test(text) ? `'${text}` : text);

const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** One line of a file; texts of people go through `inert` before. */
export const csvLine = (fields: readonly string[]): string => `${fields.map(quoted).join(',')}\n`;
