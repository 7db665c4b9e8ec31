/** Repositories on disk: made from files directly (no template, no process), removed, measured. */
import { cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Git, Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { randomSuffix } from '../refs/files.ts';
import { branchRef } from '../refs/names.ts';
import type { RepoPath } from '../types.ts';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

export interface InitOptions {
  /** Short name; default `main`. */
  defaultBranch?: string;
  /** Repositories whose objects this one borrows (a fork's pool). */
  alternates?: readonly RepoPath[];
}

/** Makes an empty bare repository. Throws `exists` when something is at the path already. */
export async function initRepository(path: RepoPath, options: InitOptions = {}): Promise<void> {
  const head = branchRef(options.defaultBranch ?? 'main');
  if (!head) throw new GitError('invalid', 'not an acceptable branch name');
  // Complete under another name first: a crash leaves no half repository where one is looked for.
  const making = `${path}.making-${randomSuffix()}`;
  await mkdir(dirname(path), { recursive: true });
  for (const directory of ['', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    await mkdir(join(making, directory), { recursive: true, mode: 0o700 });
  }
  await Promise.all([
    writeFile(join(making, 'config'), CONFIG),
    writeFile(join(making, 'HEAD'), `ref: ${head}\n`),
    ...(options.alternates?.length
      ? [writeFile(join(making, 'objects/info/alternates'), options.alternates.map((at) => `${at}/objects\n`).join(''))]
      : []),
  ]);
  try {
    await rename(making, path);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw new GitError('exists', 'there is something at this path already', { cause: error });
  }
}

/** Whether a repository is at the path. */
export async function repositoryExists(path: RepoPath): Promise<boolean> {
  const found = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) =>
      stat(join(path, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}

/** Removes a repository with everything in it; harmless when there is none. */
export async function removeRepository(git: Git, path: RepoPath): Promise<void> {
  git.forget(path);
  const leaving = `${path}.removing-${randomSuffix()}`;
  try {
    await rename(path, leaving);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  await rm(leaving, { recursive: true, force: true });
}

/** Moves a repository on the same file system. Throws `exists` when the target is taken. */
export async function moveRepository(git: Git, from: RepoPath, to: RepoPath): Promise<void> {
  if (await repositoryExists(to)) throw new GitError('exists', 'there is something at this path already');
  git.forget(from);
  git.forget(to);
  await mkdir(dirname(to), { recursive: true });
  await rename(from, to);
}

/**
 * A complete copy: objects by hard link where the file system allows it (they never change), the rest by copy. The
 * source must not be written meanwhile: hold its lock.
 */
export async function copyRepository(source: Repo, target: RepoPath): Promise<void> {
  if (await repositoryExists(target)) throw new GitError('exists', 'there is something at this path already');
  const making = `${target}.making-${randomSuffix()}`;
  await mkdir(dirname(target), { recursive: true });
  await cp(source.path, making, {
    recursive: true,
    filter: (file) => !/\/objects\/incoming-|\.lock$/.test(file.slice(source.path.length)),
  });
  await rename(making, target);
}

/** Bytes of all files of the repository; files that vanish meanwhile are not counted. */
export async function diskSize(repo: Repo): Promise<number> {
  let total = 0;
  const pending: string[] = [repo.path];
  for (let directory = pending.pop(); directory !== undefined; directory = pending.pop()) {
    const here = directory;
    const entries = await readdir(here, { withFileTypes: true }).catch(() => []);
    const sizes = await Promise.all(
      entries.map(async (entry) => {
        if (entry.isDirectory()) {
          pending.push(join(here, entry.name));
          return 0;
        }
        return (await stat(join(here, entry.name)).catch(() => null))?.size ?? 0;
      }),
    );
    for (const size of sizes) total += size;
  }
  return total;
}
