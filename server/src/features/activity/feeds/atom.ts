/** Atom documents: pure text from values, everything escaped. */

interface Person {
  readonly name: string;
  readonly email: string | null;
}

export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly at: Date;
  readonly author: Person;
  /** More of what it says. */
  readonly summary?: string;
  /** What an issue is made of. */
  readonly details?: {
    readonly description: string | null;
    readonly milestone: string | null;
    readonly labels: readonly string[];
    readonly assignees: readonly Person[];
    readonly due_date: string | null;
  };
}

export interface Feed {
  readonly title: string;
  /** Where it can be read; carries no token. */
  readonly self: string;
  /** The page that shows the same. */
  readonly page: string;
  readonly entries: readonly Entry[];
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML has no way to write are left out. */
function escaped(text: string): string {
  const wellFormed = text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '');
  return wellFormed.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}

const person = (element: string, { name, email }: Person) =>
  `<${element}><name>${escaped(name)}</name>${email ? `<email>${escaped(email)}</email>` : ''}</${element}>`;

/** The elements in which readers of the ecosystem look for them. */
function detailLines(title: string, { description, milestone, labels, assignees, due_date }: Details): string[] {
  const one = (name: string, text: string | null) =>
    text === null || text === '' ? [] : [`    <${name}>${escaped(text)}</${name}>`];
  const all = (name: string, inside: readonly string[]) =>
    inside.length === 0 ? [] : [`    <${name}>${inside.join('')}</${name}>`];
  return [
    ...one('summary', title),
    ...one('description', description),
    ...one('content', description),
    ...one('milestone', milestone),
    ...all(
      'labels',
      labels.map((label) => `<label>${escaped(label)}</label>`),
    ),
    ...all(
      'assignees',
      assignees.map((each) => person('assignee', each)),
    ),
    ...assignees.slice(0, 1).map((each) => `    ${person('assignee', each)}`),
    ...one('due_date', due_date),
  ];
}
type Details = NonNullable<Entry['details']>;

const entry = ({ id, title, url, at, author: by, summary, details }: Entry) =>
  [
    '  <entry>',
    `    <id>${escaped(id)}</id>`,
    `    <link href="${escaped(url)}"/>`,
    `    <title>${escaped(title)}</title>`,
    `    <updated>${at.toISOString()}</updated>`,
    `    ${person('author', by)}`,
    ...(summary ? [`    <summary>${escaped(summary)}</summary>`] : []),
    ...(details ? detailLines(title, details) : []),
    '  </entry>',
  ].join('\n');

/** The document. A feed without entries was last changed when time began: readers take any date that stays. */
export function atom({ title, self, page, entries }: Feed): string {
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `  <title>${escaped(title)}</title>`,
    `  <link href="${escaped(self)}" rel="self" type="application/atom+xml"/>`,
    `  <link href="${escaped(page)}" rel="alternate" type="text/html"/>`,
    `  <id>${escaped(page)}</id>`,
    `  <updated>${(entries[0]?.at ?? new Date(0)).toISOString()}</updated>`,
    ...entries.map(entry),
    '</feed>',
    '',
  ].join('\n');
}
