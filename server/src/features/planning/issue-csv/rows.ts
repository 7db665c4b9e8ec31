/** Rows of a file of issues: which columns it has, and what a row says of the issue to be. Pure. */
import { CsvError, readCsv } from '../../../kernel/csv.ts';

const largestRows = 10_000;

export interface IssueRow {
  readonly line: number;
  readonly title: string;
  readonly description: string;
  readonly due_date: string;
  readonly milestone: string;
  readonly type: string;
}

const required = ['title', 'description'] as const;
const known = [...required, 'due_date', 'milestone', 'type'] as const;

/** All rows, or a `CsvError` where the file as a whole cannot be read. */
export function issueRows(bytes: Uint8Array): IssueRow[] {
  const rows = readCsv(decoded(bytes));
  const header = rows.next();
  if (header.done) throw new CsvError('The file is empty');
  const names = header.value.fields.map((name) => name.trim().toLowerCase());
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) throw new CsvError(`The file has no column ${missing.map((name) => `"${name}"`).join(', ')}`);
  const twice = known.find((name) => names.filter((each) => each === name).length > 1);
  if (twice) throw new CsvError(`The file has two columns "${twice}"`);
  const found: IssueRow[] = [];
  for (const { line, fields } of rows) {
    if (found.length === largestRows) throw new CsvError(`The file has more than ${largestRows} rows`);
    const value = (name: (typeof known)[number]) => fields[names.indexOf(name)] ?? '';
    found.push({
      line,
      title: value('title').trim(),
      description: value('description'),
      due_date: value('due_date').trim(),
      milestone: value('milestone').trim(),
      type: value('type').trim(),
    });
  }
  return found;
}

function decoded(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // Told below.
  }
  throw new CsvError('The file is not UTF-8 text');
}
