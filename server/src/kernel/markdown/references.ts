/** Words of a text that refer to a merge request, a commit or a user. Pure: whether these exist is decided elsewhere. */

export type ReferenceKindName = 'merge_request' | 'commit' | 'user';

export interface Reference {
  readonly start: number;
  readonly end: number;
  /** As it is written. */
  readonly text: string;
  readonly kind: ReferenceKindName;
  /** Full path of another project; null for the one that the text is of. */
  readonly project: string | null;
  /** Internal id of the merge request, hash of the commit (which may be abbreviated), or username. */
  readonly value: string;
}

const name = '[a-zA-Z0-9_][\\w.-]{0,254}';
const pattern = new RegExp(
  // Neither in the middle of a word nor in an address or an e-mail address.
  `(?<![\\w/.@&#:!-])(?:(${name}(?:/${name}){1,20})?(?:!(\\d{1,9})|@([0-9a-f]{7,64}))|@(${name})|([0-9a-f]{7,64}))(?![\\w/@-])`,
  'g',
);

/** At most this many are looked for in one text. */
const most = 200;

export function findReferences(text: string): Reference[] {
  const found: Reference[] = [];
  for (const match of text.matchAll(pattern)) {
    const [whole, project = null, iid, far, user, sha] = match;
    const place = { start: match.index, end: match.index + whole.length, text: whole };
    if (iid !== undefined) found.push({ ...place, kind: 'merge_request', project, value: iid });
    else if (far !== undefined && project !== null) found.push({ ...place, kind: 'commit', project, value: far });
    else if (far !== undefined || user !== undefined) {
      // A sentence ends with a full stop, a name never does.
      const value = (user ?? far ?? '').replace(/[.-]+$/, '');
      const end = place.start + 1 + value.length;
      found.push({ start: place.start, end, text: `@${value}`, kind: 'user', project: null, value });
    } else if (sha !== undefined && !/^\d{1,39}$/.test(sha))
      found.push({ ...place, kind: 'commit', project: null, value: sha });
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

/** Usernames that a text names outside of its code, each once. */
export function mentionsIn(text: string): string[] {
  if (text.length > longestWithMentions || !text.includes('@')) return [];
  const found = findReferences(withoutCode(text));
  return [...new Set(found.flatMap(({ kind, value }) => (kind === 'user' ? [value.toLowerCase()] : [])))];
}
