/** Words of a text that name a merge request, a commit or a person. Pure: whether they exist is asked elsewhere. */

export interface Reference {
  readonly start: number;
  readonly end: number;
  readonly kind: 'merge_request' | 'commit' | 'user';
  /** Full path of another project; null for the one that the text is of. */
  readonly project: string | null;
  /** Number of the merge request, id of the commit, or name of the person. */
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
    const place = { start: match.index, end: match.index + whole.length };
    if (iid !== undefined) found.push({ ...place, kind: 'merge_request', project, value: iid });
    else if (far !== undefined && project !== null) found.push({ ...place, kind: 'commit', project, value: far });
    else if (far !== undefined || user !== undefined) {
      // A sentence ends with a full stop, a name never does.
      const value = (user ?? far ?? '').replace(/[.-]+$/, '');
      found.push({ start: place.start, end: place.start + 1 + value.length, kind: 'user', project: null, value });
    } else if (sha !== undefined && !/^\d{1,39}$/.test(sha))
      found.push({ ...place, kind: 'commit', project: null, value: sha });
    if (found.length === most) break;
  }
  return found;
}
