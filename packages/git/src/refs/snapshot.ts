/** All references of a repository at one generation: its files are read once per change, and nothing per question. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Repo, sharedWork } from '../context.ts';
import { keepLoading } from '../lru.ts';
import { readHeader, readTag } from '../objects/read.ts';
import { gitText } from '../process/run.ts';
import { isSha, type RefName, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { headRef, packedEntries, packedRefs, readRef } from './files.ts';
import { isWellFormed } from './names.ts';

export interface RefEntry {
  ref: RefName;
  id: Sha;
  /** What an annotated tag leads to in the end; null for everything else. */
  peeled: Sha | null;
}

export interface RefsSnapshot {
  /** The number that the caller gave: from the database, bumped with every change of references. */
  generation: number;
  /** What HEAD names, existing or not. */
  head: RefName | null;
  /** Sorted by name, in byte order. */
  refs: readonly RefEntry[];
}

interface Cached {
  readonly generation: number;
  readonly loading: Promise<RefsSnapshot>;
}

/** More loose references than these are read by git: one process is cheaper then. */
const mostLoose = 1000;

const bytesOf = (refs: readonly RefEntry[]) => 1000 + refs.length * 250;

/** The order of bytes, which is git's: UTF-16 has it too, except around the characters that it writes as two. */
function compareRefs(a: string, b: string): number {
  if (a === b) return 0;
  if (/[\ud800-\uffff]/.test(a) && /[\ud800-\uffff]/.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : 1;
}

/** The first place in sorted references whose name is not before `name`. */
function lowerBound(refs: readonly RefEntry[], name: string): number {
  let low = 0;
  let high = refs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareRefs(refs[middle]?.ref ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The entry of a full name. */
export function refNamed({ refs }: RefsSnapshot, name: string): RefEntry | null {
  const found = refs[lowerBound(refs, name)];
  return found?.ref === name ? found : null;
}

/** Where the references with a prefix are: from, and up to but without. */
export function rangeOf({ refs }: RefsSnapshot, prefix: string): readonly [number, number] {
  const from = lowerBound(refs, prefix);
  let low = from;
  let high = refs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (refs[middle]?.ref.startsWith(prefix)) low = middle + 1;
    else high = middle;
  }
  return [from, low];
}

/** What an object leads to through tags; null when it is no tag. */
async function peeledOf(repo: Repo, id: Sha): Promise<Sha | null> {
  let found: Sha | null = null;
  for (let at = id; (await readHeader(repo, at))?.type === 'tag'; ) {
    const tag = await readTag(repo, at);
    if (!tag) return found;
    found = tag.target;
    at = tag.target;
  }
  return found;
}

async function entryOf(repo: Repo, ref: RefName, id: Sha): Promise<RefEntry> {
  return { ref, id, peeled: ref.startsWith('refs/heads/') ? null : await peeledOf(repo, id) };
}

/** The files below `refs/`; null when there are too many of them. */
async function looseNames(repo: Repo): Promise<string[] | null> {
  const names: string[] = [];
  const waiting = ['refs'];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(join(repo.path, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(name);
      else if (entry.isFile() && isWellFormed(name)) names.push(name);
    }
    if (names.length > mostLoose) return null;
  }
  return names;
}

async function looseEntry(repo: Repo, name: string): Promise<RefEntry | null> {
  const text = (await readFile(join(repo.path, name), 'utf8').catch(() => '')).trim();
  const id = text.startsWith('ref: ') ? await readRef(repo, text.slice(5).trim() as RefName) : text;
  return id !== null && isSha(id) ? entryOf(repo, name as RefName, id) : null;
}

/** As git itself reads them: the loose ones first, so that none is missed while they are being packed. */
async function readEntries(repo: Repo): Promise<RefEntry[]> {
  const names = await looseNames(repo);
  if (names === null) return await entriesByGit(repo);
  const loose = (await Promise.all(names.map((name) => looseEntry(repo, name)))).filter((entry) => entry !== null);
  const packed: RefEntry[] = [];
  for await (const batch of packedEntries(await packedRefs(repo)))
    for (const entry of batch) packed.push(entry as RefEntry);
  return merged(packed, new Map(loose.map((entry) => [entry.ref, entry])));
}

async function entriesByGit(repo: Repo): Promise<RefEntry[]> {
  // show-ref fails where there is nothing to show.
  const text = await gitText(repo, ['show-ref', '--dereference'], {
    work: 'read',
    maxBytes: 512 * 1024 * 1024,
    okCodes: [0, 1],
  });
  const refs: RefEntry[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const id = shaFromGit(line.slice(0, 40));
    const ref = line.slice(41);
    const last = refs.at(-1);
    if (!ref.endsWith('^{}')) refs.push({ ref: ref as RefName, id, peeled: null });
    else if (last) last.peeled = id;
  }
  return refs;
}

/** Sorted entries with changes laid over them; null deletes. */
function merged(refs: readonly RefEntry[], changes: ReadonlyMap<string, RefEntry | null>): RefEntry[] {
  if (changes.size === 0) return [...refs];
  const added = [...changes.values()].filter((entry) => entry !== null).sort((a, b) => compareRefs(a.ref, b.ref));
  const all: RefEntry[] = [];
  let next = 0;
  for (const entry of refs) {
    if (changes.has(entry.ref)) continue;
    for (let add = added[next]; add && compareRefs(add.ref, entry.ref) < 0; add = added[next]) {
      all.push(add);
      next += 1;
    }
    all.push(entry);
  }
  return next < added.length ? all.concat(added.slice(next)) : all;
}

async function load(repo: Repo, generation: number): Promise<RefsSnapshot> {
  const [refs, head] = await Promise.all([readEntries(repo), headRef(repo)]);
  return { generation, head, refs };
}

/**
 * The references at a generation or a later one. Cached per repository until a newer one is asked for; concurrent callers
 * share one load. Read the generation before calling: a newer repository state under an older number is harmless, the
 * reverse would not be.
 */
export function refsSnapshot(repo: Repo, generation: number): Promise<RefsSnapshot> {
  const { snapshots } = repo.git;
  const key = `refs${repo.key}`;
  const known = snapshots.get(key) as Cached | undefined;
  // A caller whose row is older by now would otherwise throw the newer state out of the cache.
  if (known && known.generation >= generation) return known.loading;
  const loading = load(sharedWork(repo), generation);
  const entry: Cached = { generation, loading };
  keepLoading(snapshots, key, entry, ({ refs }) => bytesOf(refs));
  return loading;
}

/**
 * Puts the successor of a cached snapshot into the cache without reading the repository: for the process that made the
 * change itself, between `from` and `to` nobody else having written. Does nothing when `from` is not cached.
 */
export async function advanceSnapshot(
  repo: Repo,
  from: number,
  to: number,
  updates: readonly { ref: RefName; new: Sha }[],
): Promise<void> {
  const { snapshots } = repo.git;
  const key = `refs${repo.key}`;
  const known = snapshots.get(key) as Cached | undefined;
  if (known?.generation !== from) return;
  const before = await known.loading;
  const changed = new Map<string, RefEntry | null>();
  for (const update of updates) {
    changed.set(update.ref, update.new === ZERO_SHA ? null : await entryOf(repo, update.ref, update.new));
  }
  const refs = merged(before.refs, changed);
  const loading = Promise.resolve({ generation: to, head: before.head, refs });
  if (snapshots.get(key) === known) snapshots.set(key, { generation: to, loading } satisfies Cached, bytesOf(refs));
}
