/** Calendars (RFC 5545): pure text from values, everything escaped. */

interface CalendarEvent {
  /** The same at each reading. */
  readonly uid: string;
  readonly changed: Date;
  /** `2031-05-06`. */
  readonly day: string;
  readonly summary: string;
  readonly description: string;
  readonly url: string;
}

const escaped = (text: string): string =>
  text
    .toWellFormed()
    // Calendars cannot hold them.
    .replaceAll(/\p{Cc}/gu, (character) => (/[\t\n]/.test(character) ? character : ''))
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');

const longest = 75;

/** Lines are at most 75 bytes; what is longer goes on after a space. */
function folded(line: string): string {
  const lines: string[] = [];
  let current = '';
  let size = 0;
  for (const character of line) {
    const bytes = Buffer.byteLength(character);
    if (size + bytes > longest) {
      lines.push(current);
      current = ' ';
      size = 1;
    }
    current += character;
    size += bytes;
  }
  return [...lines, current].join('\r\n');
}

const time = (at: Date): string => at.toISOString().replaceAll(/[-:]|\.\d+/g, '');

export const calendar = (name: string, events: readonly CalendarEvent[]): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Millrace//Issues//EN',
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escaped(name)}`,
    ...events.flatMap(({ uid, changed, day, summary, description, url }) => [
      'BEGIN:VEVENT',
      `UID:${escaped(uid)}`,
      `DTSTAMP:${time(changed)}`,
      `DTSTART;VALUE=DATE:${day.replaceAll('-', '')}`,
      `SUMMARY:${escaped(summary)}`,
      `DESCRIPTION:${escaped(description)}`,
      `URL;VALUE=URI:${url}`,
      'TRANSP:TRANSPARENT',
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ]
    .map(folded)
    .join('\r\n');
