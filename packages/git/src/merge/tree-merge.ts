/**
 * Merges of trees where the two sides changed different paths, as most merges are: decided by object ids, without a
 * process. What needs git is left to it: a path that both changed, and renames that the other side could be affected by.
 * What is decided here is what `git merge-tree` would write.
 */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { entriesByName, type NamedEntries } from '../objects/parse.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { writeTree } from '../objects/write.ts';
import { rawObject } from '../process/cat-file.ts';
import { EMPTY_TREE, type FileMode, type Sha } from '../types.ts';

interface Entry {
  readonly mode: FileMode;
  readonly id: Sha;
}

/** A directory of the result that neither side has as it is. */
interface MergedDirectory {
  readonly mode: '040000';
  readonly entries: ReadonlyMap<string, Entry | MergedDirectory>;
}

export type MergedTree = Entry | MergedDirectory;

/** What one side did, as far as renames are made of it. */
interface Changes {
  added: boolean;
  removed: boolean;
  /** A whole directory: what the other side adds below it may have to move along. */
  removedDirectory: boolean;
}

/** Trees that are read for one merge; beyond it git is faster. */
const MOST_TREES = 200;
const MOST_TREE_BYTES = 4 * 1024 * 1024;

class Undecided extends Error {}

const isTree = (entry: Entry | undefined) => entry?.mode === '040000';
const same = (one: Entry | undefined, other: Entry | undefined) => one?.id === other?.id && one?.mode === other?.mode;
const renames = ({ added, removed }: Changes) => added && removed;

/** Merges three trees; null where git has to. */
export async function mergeTrees(repo: Repo, base: Sha, ours: Sha, theirs: Sha): Promise<MergedTree | null> {
  const [ourChanges, theirChanges] = [0, 1].map(
    (): Changes => ({ added: false, removed: false, removedDirectory: false }),
  ) as [Changes, Changes];
  let alike = false;
  let trees = 0;

  async function entriesOf(entry: Entry | undefined): Promise<NamedEntries> {
    if (!isTree(entry) || entry?.id === undefined || entry.id === EMPTY_TREE) return new Map();
    trees += 1;
    if (trees > MOST_TREES) throw new Undecided();
    const object = await rawObject(repo, entry.id, MOST_TREE_BYTES);
    if (object?.type !== 'tree') throw new Undecided();
    return entriesByName(object.data);
  }

  async function note(changes: Changes, before: Entry | undefined, after: Entry | undefined): Promise<void> {
    if (same(before, after)) return;
    if (!isTree(before) || !isTree(after)) {
      if (before && (!after || isTree(after) || isTree(before))) changes.removed = true;
      if (after && (!before || isTree(before) || isTree(after))) changes.added = true;
      if (isTree(before)) changes.removedDirectory = true;
      return;
    }
    const [old, now] = await Promise.all([entriesOf(before), entriesOf(after)]);
    const names = new Set([...old.keys(), ...now.keys()]);
    await Promise.all([...names].map((name) => note(changes, old.get(name), now.get(name))));
  }

  async function merge(
    from: Entry | undefined,
    left: Entry | undefined,
    right: Entry | undefined,
  ): Promise<MergedTree | undefined> {
    if (same(left, right)) {
      if (!same(from, left)) alike = true;
      await Promise.all([note(ourChanges, from, left), note(theirChanges, from, right)]);
      return left;
    }
    if (same(from, left)) {
      await note(theirChanges, from, right);
      return right;
    }
    if (same(from, right)) {
      await note(ourChanges, from, left);
      return left;
    }
    if (!isTree(left) || !isTree(right) || (from && !isTree(from))) throw new Undecided();
    const [old, one, other] = await Promise.all([entriesOf(from), entriesOf(left), entriesOf(right)]);
    const names = [...new Set([...old.keys(), ...one.keys(), ...other.keys()])];
    const merged = await Promise.all(
      names.map(async (name) => [name, await merge(old.get(name), one.get(name), other.get(name))] as const),
    );
    const entries = new Map(merged.flatMap(([name, entry]) => (entry ? [[name, entry] as const] : [])));
    // git has no empty directories.
    return entries.size === 0 ? undefined : { mode: '040000', entries };
  }

  const root = (id: Sha): Entry => ({ mode: '040000', id });
  try {
    const merged = await merge(root(base), root(ours), root(theirs));
    const renamed = renames(ourChanges) || renames(theirChanges);
    const moved = (one: Changes, other: Changes) => renames(one) && one.removedDirectory && other.added;
    if (alike && renamed) return null;
    if (moved(ourChanges, theirChanges) || moved(theirChanges, ourChanges)) return null;
    return merged ?? root(EMPTY_TREE);
  } catch (error) {
    // A tree beyond the limit is read by git itself.
    if (error instanceof Undecided || (error instanceof GitError && error.code === 'limit')) return null;
    throw error;
  }
}

/** Writes what is new of the merged tree; gives its id. */
export async function writeMerged(quarantine: Quarantine, merged: MergedTree): Promise<Sha> {
  if ('id' in merged) return merged.id;
  const entries = [...merged.entries].map(async ([name, entry]) => ({
    mode: entry.mode,
    name: Buffer.from(name, 'latin1'),
    id: await writeMerged(quarantine, entry),
  }));
  return await writeTree(quarantine, await Promise.all(entries));
}
