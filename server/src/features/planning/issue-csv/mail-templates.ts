/** Mails of exported and imported issues. */
import type { MailText } from '../../../kernel/mail/index.ts';
import type { Refused } from './issue-csv.queries.ts';

interface Place {
  readonly name: string;
  /** Of the list of issues. */
  readonly url: string;
}

const issues = (count: number) => (count === 1 ? '1 issue' : `${count} issues`);
const action = ({ url }: Place) => ({ label: 'View issues', url });

export const exportedMail = (
  to: string,
  place: Place,
  file: { readonly filename: string; readonly content: Buffer; readonly written: number; readonly found: number },
): MailText => ({
  to,
  subject: `${place.name} | Issues`,
  paragraphs: [
    `The CSV export of ${issues(file.written)} from project ${place.name} is attached to this message.`,
    ...(file.written < file.found
      ? [
          `The file was truncated at 15 MiB: it has ${file.written} of ${issues(file.found)}. Narrow the filter to export the others.`,
        ]
      : []),
  ],
  action: action(place),
  attachments: [{ filename: file.filename, contentType: 'text/csv', content: file.content }],
});

/** Lines of a mail; who imports ten thousand wrong lines sees the pattern in the first ones. */
const shownLines = 500;

export function importedMail(
  to: string,
  place: Place,
  { created, refused, failure }: { created: number; refused: readonly Refused[]; failure: string | null },
): MailText {
  const lines = refused.slice(0, shownLines).map(({ line, reason }) => `Line ${line}: ${reason}`);
  const more = refused.length - lines.length;
  return {
    to,
    subject: `${place.name} | Imported issues`,
    paragraphs: [
      `${issues(created)} imported into project ${place.name}.`,
      ...(failure === null ? [] : [failure]),
      ...(refused.length > 0 ? [`${issues(refused.length)} could not be imported:`, ...lines] : []),
      ...(more > 0 ? [`${more} more errors are not listed.`] : []),
    ],
    action: action(place),
  };
}
