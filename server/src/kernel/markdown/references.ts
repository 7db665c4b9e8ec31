/** Words of a text that name something: `#1`, `!2`, `%"a milestone"`, `@name`. Pure: whether it exists is decided elsewhere. */

export type ReferenceKindName =
  | 'commit'
  | 'commit_range'
  | 'epic'
  | 'external_issue'
  | 'group'
  | 'issue'
  | 'label'
  | 'merge_request'
  | 'milestone'
  | 'snippet'
  | 'user';

export interface Reference {
  readonly start: number;
  readonly end: number;
  /** As it is written. */
  readonly text: string;
  readonly kind: ReferenceKindName;
  /** Path of another project or group, for a single name beside the text's own; null for the one that the text is of. */
  readonly place: string | null;
  /** Number, title, name or path; of commits the hash, which may be abbreviated, or two with the dots between them. */
  readonly value: string;
  /** What is written behind it to see its title, or its title and who works on it. */
  readonly format?: ReferenceFormat | undefined;
}
export type ReferenceFormat = '+' | '+s';

const name = '[a-zA-Z0-9_][\\w.-]{0,254}';
const quoted = '"[^"\\n]{1,255}"';
const sha = '[0-9a-f]{7,64}';
const range = `(?:\\.{2,3}${sha})?`;
/** A title of one word; what ends the sentence is no part of it. */
const word = '[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_.:?/&+-]{0,253}[\\p{L}\\p{N}_+])?';
const pattern = new RegExp(
  // Neither in the middle of a word nor in an address or an email address.
  `(?<![\\w/.@&#:!%~$-])(?:(?:/?(${name}(?:/${name}){0,20}))?(?:([!#&$])(\\d{1,9})(\\+s?)?|@(${sha}${range})|([%~])(${quoted}|${word}))|@(${name}(?:/${name}){0,20})|(${sha}${range}))(?![\\w/@-])`,
  'gu',
);

const numbered: Readonly<Record<string, ReferenceKindName>> = {
  '!': 'merge_request',
  '#': 'issue',
  '&': 'epic',
  $: 'snippet',
};
const commitKind = (value: string): ReferenceKindName => (value.includes('..') ? 'commit_range' : 'commit');

/** At most this many are looked for in one text. */
const most = 200;

export function findReferences(text: string): Reference[] {
  const found: Reference[] = [];
  for (const match of text.matchAll(pattern)) {
    const [whole, place = null, sign = '', number, format, far, titleSign, title, user, commit] = match;
    const at = { start: match.index, end: match.index + whole.length, text: whole };
    const kind = numbered[sign];
    if (number !== undefined && kind) {
      const named = { ...at, kind, place, value: number };
      found.push(format === undefined ? named : { ...named, format: format as ReferenceFormat });
    } else if (title !== undefined)
      found.push({
        ...at,
        kind: titleSign === '%' ? 'milestone' : 'label',
        place,
        value: title.startsWith('"') ? title.slice(1, -1) : title,
      });
    else if (far !== undefined && place !== null) found.push({ ...at, kind: commitKind(far), place, value: far });
    else if (far !== undefined || user !== undefined) {
      // A sentence ends with a full stop, a name never does.
      const value = (user ?? far ?? '').replace(/[.-]+$/, '');
      const kind = value.includes('/') ? 'group' : 'user';
      found.push({ start: at.start, end: at.start + 1 + value.length, text: `@${value}`, kind, place: null, value });
    } else if (commit !== undefined && !/^\d{1,39}$/.test(commit))
      found.push({ ...at, kind: commitKind(commit), place: null, value: commit });
    if (found.length === most) break;
  }
  return found;
}

/** Longer texts name nobody: whoever looks through them has a budget. */
const longestWithMentions = 100_000;

/** A text without its code: fenced blocks, and what stands between backticks in a line. */
function withoutCode(text: string): string {
  let fence: string | null = null;
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1] ?? null;
    if (fence === null && mark === null)
      kept.push(
        line
          .split('`')
          .filter((_, at) => at % 2 === 0)
          .join(' '),
      );
    else if (fence === null) fence = mark;
    else if (mark === fence) fence = null;
  }
  return kept.join('\n');
}

/** What a text names outside of its code: `findReferences` without the longest texts. */
export const referencesIn = (text: string): Reference[] =>
  text.length > longestWithMentions ? [] : findReferences(withoutCode(text));

/** Usernames that a text names outside of its code, each once. */
export function mentionsIn(text: string): string[] {
  if (!text.includes('@')) return [];
  return [...new Set(referencesIn(text).flatMap(({ kind, value }) => (kind === 'user' ? [value.toLowerCase()] : [])))];
}

/** Whether a text names neither anybody nor anything, also not by the address of a page: most texts do not. */
export const namesNothing = (text: string): boolean => !text.includes('/-/') && referencesIn(text).length === 0;
