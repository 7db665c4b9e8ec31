/** What of a push belongs to code owners, by the file that the branch had before it: a push does not choose its own. */
import * as git from '@millrace/git';
import { type CodeOwners, codeOwnersPaths, type Ownership, ownersOf, parseCodeOwners } from './code-owners.ts';

const maximumBytes = 1024 ** 2;
/** More are not looked through for what is only told. */
const maximumFiles = 10_000;

/** The owners of a commit's files; null where none are named. */
async function codeOwnersAt(repo: git.Repo, commit: git.Sha): Promise<CodeOwners | null> {
  for (const path of codeOwnersPaths) {
    const entry = await git.lookupPath(repo, commit, path);
    if (entry?.type !== 'blob') continue;
    const size = (await git.readHeader(repo, entry.id))?.size ?? 0;
    const blob = size > maximumBytes ? null : await git.readBlob(repo, entry.id);
    return blob ? parseCodeOwners(blob.data.toString('utf8')) : null;
  }
  return null;
}

export interface OwnedPath {
  readonly path: string;
  readonly ownerships: readonly Ownership[];
}

/** Of some files, those that somebody owns. */
export async function ownedPaths(repo: git.Repo, commit: git.Sha, paths: readonly string[]): Promise<OwnedPath[]> {
  const owners = paths.length === 0 ? null : await codeOwnersAt(repo, commit);
  if (!owners) return [];
  return paths.flatMap((path) => {
    const ownerships = ownersOf(owners, path);
    return ownerships.length > 0 ? [{ path, ownerships }] : [];
  });
}

/** The first changed file that somebody owns, with its owners; null when there is none. */
export async function ownedChange(repo: git.Repo, before: git.Sha, after: git.Sha): Promise<OwnedPath | null> {
  const owners = await codeOwnersAt(repo, before);
  if (!owners) return null;
  const files = await git.changedFiles(repo, before, after, { renames: false, maxFiles: maximumFiles });
  for (const { newPath: path } of files) {
    const ownerships = ownersOf(owners, path);
    if (ownerships.length > 0) return { path, ownerships };
  }
  return null;
}
