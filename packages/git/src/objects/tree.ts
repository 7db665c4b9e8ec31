/** Paths in trees: look-up, listing and walking, all by object id through the cache. */
import type { Repo } from '../context.ts';
import type { Sha } from '../types.ts';
import type { TreeEntry } from './parse.ts';
import { readCommit, readTag, readTree } from './read.ts';

export interface PathEntry extends TreeEntry {
  /** Full path from the root of the tree. */
  path: string;
}

/** Splits a path, or null when it is no plain relative path (empty parts, `.`, `..`, NUL). */
export function splitPath(path: string): string[] | null {
  const parts = path.replace(/^\/+|\/+$/g, '').split('/');
  if (parts.length === 1 && parts[0] === '') return [];
  return parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')) ? null : parts;
}

/** The tree of a commit, of an annotated tag, or the tree itself; null when there is none. */
export async function treeOf(repo: Repo, id: Sha): Promise<Sha | null> {
  const commit = await peelToCommit(repo, id);
  if (commit) return (await readCommit(repo, commit))?.tree ?? null;
  return (await readTree(repo, id)) ? id : null;
}

/** Follows annotated tags (at most ten deep) to a commit; null when it ends elsewhere. */
export async function peelToCommit(repo: Repo, id: Sha): Promise<Sha | null> {
  let current = id;
  for (let depth = 0; depth < 10; depth += 1) {
    if (await readCommit(repo, current)) return current;
    const tag = await readTag(repo, current);
    if (!tag) return null;
    current = tag.target;
  }
  return null;
}

/** The entry at a path below a tree or commit; null when there is none. The root itself answers with path ''. */
export async function lookupPath(repo: Repo, treeish: Sha, path: string): Promise<PathEntry | null> {
  const parts = splitPath(path);
  const root = parts && (await treeOf(repo, treeish));
  if (!root) return null;
  let entry: TreeEntry = { mode: '040000', type: 'tree', id: root, name: '' };
  for (const part of parts) {
    if (entry.type !== 'tree') return null;
    const found: TreeEntry | undefined = (await readTree(repo, entry.id))?.find((candidate) => candidate.name === part);
    if (!found) return null;
    entry = found;
  }
  return { ...entry, path: parts.join('/') };
}

/** Entries directly below a path, in git's order; null when the path is no directory. */
export async function listTree(repo: Repo, treeish: Sha, path = ''): Promise<PathEntry[] | null> {
  const directory = await lookupPath(repo, treeish, path);
  if (directory?.type !== 'tree') return null;
  const prefix = directory.path === '' ? '' : `${directory.path}/`;
  return ((await readTree(repo, directory.id)) ?? []).map((entry) => ({ ...entry, path: prefix + entry.name }));
}

/**
 * Everything below a path, depth first, each directory before its contents, as `git ls-tree -r -t`. Reads lazily: stop
 * early and the rest is not read. Yields nothing when the path is no directory.
 */
export async function* walkTree(repo: Repo, treeish: Sha, path = ''): AsyncGenerator<PathEntry> {
  const entries = await listTree(repo, treeish, path);
  if (entries) yield* descend(repo, entries);
}

async function* descend(repo: Repo, entries: PathEntry[]): AsyncGenerator<PathEntry> {
  // All subtrees of a level are asked for at once: one round trip to the helper instead of one each.
  await Promise.all(entries.filter((entry) => entry.type === 'tree').map((entry) => readTree(repo, entry.id)));
  for (const entry of entries) {
    yield entry;
    if (entry.type !== 'tree') continue;
    const below = (await readTree(repo, entry.id)) ?? [];
    yield* descend(
      repo,
      below.map((child) => ({ ...child, path: `${entry.path}/${child.name}` })),
    );
  }
}
