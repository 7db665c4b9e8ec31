/** Windows over branches and tags, from a snapshot: filter, sort, page. */
import type { Repo } from '../context.ts';
import { readCommit, readTag } from '../objects/read.ts';
import type { Sha } from '../types.ts';
import { shortName } from './names.ts';
import type { RefEntry, RefsSnapshot } from './snapshot.ts';

export interface RefQuery {
  /** `refs/heads/`, `refs/tags/` or any other prefix of full names. */
  prefix: string;
  /** On the short name: substring, or anchored with `^` at the start or `$` at the end. Case-insensitive. */
  search?: string;
  /** Linear-time matcher over short names (the server owns regular expressions). */
  match?: (name: string) => boolean;
  /** `name` ascending is the default; `updated` is the date of the commit, or of the tag where it is annotated. */
  sort?: 'name_asc' | 'name_desc' | 'updated_asc' | 'updated_desc' | 'version_asc' | 'version_desc';
  /** Short name of the entry before the window (keyset). */
  after?: string;
  skip?: number;
  limit?: number;
}

export interface ListedRef extends RefEntry {
  name: string;
}
export interface RefPage {
  refs: ListedRef[];
  /** All that matched, before the window. */
  total: number;
}

/** The matcher of the ecosystem's `search` parameter. */
export function searchMatcher(search: string): (name: string) => boolean {
  const start = search.startsWith('^');
  const end = search.endsWith('$');
  const text = search.slice(start ? 1 : 0, end ? -1 : undefined).toLowerCase();
  return (name) => {
    const lower = name.toLowerCase();
    if (start && end) return lower === text;
    if (start) return lower.startsWith(text);
    return end ? lower.endsWith(text) : lower.includes(text);
  };
}

/** Compares `v1.10` after `v1.9`: runs of digits count as numbers. */
export function compareVersions(a: string, b: string): number {
  const parts = (text: string) => text.split(/(\d+)/);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const [x = '', y = ''] = [left[i], right[i]];
    if (x === y) continue;
    if (i % 2 === 1) {
      const [p, q] = [x.replace(/^0+(?=\d)/, ''), y.replace(/^0+(?=\d)/, '')];
      if (p.length !== q.length) return p.length - q.length;
      if (p !== q) return p < q ? -1 : 1;
    } else {
      // A pre-release suffix comes before the release itself: 1.0-rc1 < 1.0.
      if (x === '' || y === '') return (x === '' ? 1 : -1) * (x.startsWith('-') || y.startsWith('-') ? 1 : -1);
      return x < y ? -1 : 1;
    }
  }
  return left.length - right.length;
}

/** Seconds of the commit, or of the annotated tag. */
async function updatedAt(repo: Repo, entry: RefEntry): Promise<number> {
  if (entry.peeled) {
    const tag = await readTag(repo, entry.id);
    if (tag?.tagger) return tag.tagger.seconds;
  }
  return (await readCommit(repo, entry.peeled ?? entry.id))?.committer.seconds ?? 0;
}

type DatedIds = Map<Sha, number>;
const dates = new WeakMap<RefsSnapshot, Promise<DatedIds>>();

/** Dates are looked up once per snapshot. */
function datesOf(repo: Repo, snapshot: RefsSnapshot): Promise<DatedIds> {
  let known = dates.get(snapshot);
  if (!known) {
    known = (async () => {
      const found: DatedIds = new Map();
      await Promise.all(
        snapshot.refs
          .filter(({ ref }) => ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/'))
          .map(async (entry) => found.set(entry.id, await updatedAt(repo, entry))),
      );
      return found;
    })();
    dates.set(snapshot, known);
    known.catch(() => dates.delete(snapshot));
  }
  return known;
}

/** One window of references out of a snapshot. */
export async function listRefs(repo: Repo, snapshot: RefsSnapshot, query: RefQuery): Promise<RefPage> {
  const search = query.search ? searchMatcher(query.search) : undefined;
  let found: ListedRef[] = [];
  for (const entry of snapshot.refs) {
    if (!entry.ref.startsWith(query.prefix)) continue;
    const name = shortName(entry.ref);
    if ((!search || search(name)) && (!query.match || query.match(name))) found.push({ ...entry, name });
  }
  const sort = query.sort ?? 'name_asc';
  if (sort.startsWith('updated')) {
    const at = await datesOf(repo, snapshot);
    found.sort((a, b) => (at.get(a.id) ?? 0) - (at.get(b.id) ?? 0));
  } else if (sort.startsWith('version')) found.sort((a, b) => compareVersions(a.name, b.name));
  if (sort.endsWith('_desc')) found.reverse();
  const total = found.length;
  if (query.after !== undefined) {
    const at = found.findIndex((entry) => entry.name === query.after);
    // The entry may be gone since: by name the position is still known.
    found =
      at >= 0
        ? found.slice(at + 1)
        : sort === 'name_asc'
          ? found.filter((entry) => entry.name > (query.after ?? ''))
          : [];
  }
  const skip = query.skip ?? 0;
  return { refs: found.slice(skip, query.limit === undefined ? undefined : skip + query.limit), total };
}
