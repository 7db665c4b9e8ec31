/** All references of a repository at one generation: one git process per change, none per read. */
import { type Repo, sharedWork } from '../context.ts';
import { readHeader, readTag } from '../objects/read.ts';
import { peelToCommit } from '../objects/tree.ts';
import { gitText } from '../process/run.ts';
import { isSha, type RefName, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { headRef } from './files.ts';

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
  /** By full name. */
  byName: ReadonlyMap<string, RefEntry>;
}

interface Cached {
  generation: number;
  snapshot: Promise<RefsSnapshot>;
}

async function load(repo: Repo, generation: number): Promise<RefsSnapshot> {
  const [text, head] = await Promise.all([
    gitText(repo, ['for-each-ref', '--format=%(objectname) %(*objectname) %(refname)'], {
      work: 'read',
      maxBytes: 512 * 1024 * 1024,
    }),
    headRef(repo),
  ]);
  const refs: RefEntry[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [id = '', peeled = '', ref = ''] = line.split(' ');
    refs.push({ ref: ref as RefName, id: shaFromGit(id), peeled: isSha(peeled) ? peeled : null });
  }
  return build(generation, head, refs);
}

function build(generation: number, head: RefName | null, refs: RefEntry[]): RefsSnapshot {
  return { generation, head, refs, byName: new Map(refs.map((entry) => [entry.ref as string, entry])) };
}

/**
 * The references at a generation or a later one. Cached per repository until a newer one is asked for; concurrent callers
 * share one load. Read the generation before calling: a newer repository state under an older number is harmless, the
 * reverse would not be.
 */
export function refsSnapshot(repo: Repo, generation: number): Promise<RefsSnapshot> {
  const key = `refs${repo.key}`;
  const known = repo.git.cache.get(key) as Cached | undefined;
  // A caller whose row is older by now would otherwise throw the newer state out of the cache.
  if (known && known.generation >= generation) return known.snapshot;
  const snapshot = load(sharedWork(repo), generation);
  const entry: Cached = { generation, snapshot };
  repo.git.cache.set(key, entry, 1000);
  snapshot.then(
    ({ refs }) => {
      // Charged with its real size once that is known, unless a newer one took its place.
      if (repo.git.cache.get(key) === entry) repo.git.cache.set(key, entry, 1000 + refs.length * 250);
    },
    () => {
      if (repo.git.cache.get(key) === entry) repo.git.cache.delete(key);
    },
  );
  return snapshot;
}

/**
 * Puts the successor of a cached snapshot into the cache without starting git: for the process that made the change
 * itself, between `from` and `to` nobody else having written. Does nothing when `from` is not cached.
 */
export async function advanceSnapshot(
  repo: Repo,
  from: number,
  to: number,
  updates: readonly { ref: RefName; new: Sha }[],
): Promise<void> {
  const key = `refs${repo.key}`;
  const known = repo.git.cache.get(key) as Cached | undefined;
  if (known?.generation !== from) return;
  const before = await known.snapshot;
  const changed = new Map<string, RefEntry | null>();
  for (const update of updates) {
    changed.set(update.ref, update.new === ZERO_SHA ? null : await entryOf(repo, update.ref, update.new));
  }
  const kept = before.refs.filter((entry) => !changed.has(entry.ref));
  const added = [...changed.values()].filter((entry) => entry !== null);
  const refs = [...kept, ...added].sort((a, b) => Buffer.compare(Buffer.from(a.ref), Buffer.from(b.ref)));
  const snapshot = Promise.resolve(build(to, before.head, refs));
  if (repo.git.cache.get(key) === known)
    repo.git.cache.set(key, { generation: to, snapshot }, 1000 + refs.length * 250);
}

async function entryOf(repo: Repo, ref: RefName, id: Sha): Promise<RefEntry> {
  if (!ref.startsWith('refs/tags/')) return { ref, id, peeled: null };
  const tag = (await readHeader(repo, id))?.type === 'tag' ? await readTag(repo, id) : null;
  return { ref, id, peeled: tag ? ((await peelToCommit(repo, id)) ?? tag.target) : null };
}
