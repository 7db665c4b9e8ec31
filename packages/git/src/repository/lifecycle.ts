/** Repositories on disk: made from files directly (no template, no process), removed, measured. */
import { cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Git, Repo } from '../context.ts';
import { GitError, storageError } from '../errors.ts';
import { syncDirectory } from '../objects/quarantine.ts';
import { randomSuffix } from '../refs/files.ts';
import { branchRef } from '../refs/names.ts';
import type { RepoPath } from '../types.ts';
import { filesBelow } from './files-below.ts';

const CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/** What stands behind the name of a repository that is being made or removed. */
const MAKING = '.making-';
const REMOVING = '.removing-';

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
  const making = `${path}${MAKING}${randomSuffix()}`;
  const files = [
    { name: 'config', text: CONFIG },
    { name: 'HEAD', text: `ref: ${head}\n` },
    ...(options.alternates?.length
      ? [{ name: 'objects/info/alternates', text: options.alternates.map((at) => `${at}/objects\n`).join('') }]
      : []),
  ];
  try {
    await mkdir(dirname(path), { recursive: true });
    for (const directory of ['', 'objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
      await mkdir(join(making, directory), { recursive: true, mode: 0o700 });
    }
    await Promise.all(files.map(({ name, text }) => writeFile(join(making, name), text, { flush: true })));
    await rename(making, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(making, { recursive: true, force: true }).catch(() => {});
    throw storageError(error) ?? new GitError('exists', 'there is something at this path already', { cause: error });
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
  try {
    await rename(path, `${path}${REMOVING}${randomSuffix()}`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  // Those of earlier attempts, too: whoever began may have been killed.
  const names = await readdir(dirname(path)).catch(() => []);
  for (const name of names.filter((entry) => entry.startsWith(`${basename(path)}${REMOVING}`)))
    await rm(join(dirname(path), name), { recursive: true, force: true });
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
  const making = `${target}${MAKING}${randomSuffix()}`;
  await mkdir(dirname(target), { recursive: true });
  await cp(source.path, making, {
    recursive: true,
    filter: (file) => !/\/objects\/incoming-|\.lock$/.test(file.slice(source.path.length)),
  });
  await rename(making, target);
}

const STATS_AT_ONCE = 64;

/** Bytes of all files of the repository; files that vanish meanwhile are not counted. */
export async function diskSize(repo: Repo): Promise<number> {
  let total = 0;
  const files = await filesBelow(repo.path);
  for (let at = 0; at < files.length; at += STATS_AT_ONCE) {
    const some = files.slice(at, at + STATS_AT_ONCE);
    for (const info of await Promise.all(some.map((file) => stat(file).catch(() => null)))) total += info?.size ?? 0;
  }
  return total;
}

export interface Found {
  /** Relative to the storage. */
  path: string;
  /** Whole, or one that was left while it was made or removed. */
  kind: 'repository' | 'making' | 'removing';
  /** Since anything about it changed, in milliseconds. */
  ageMs: number;
}

/** All repositories of a storage, by the directories that hold them. */
export async function* repositoriesBelow(root: string): AsyncGenerator<Found[]> {
  const hashed = join(root, '@hashed');
  for (const first of (await readdir(hashed)).sort())
    for (const second of (await readdir(join(hashed, first)).catch(() => [])).sort()) {
      const directory = join('@hashed', first, second);
      const names = await readdir(join(root, directory)).catch(() => []);
      const found = await Promise.all(
        names.map(async (name): Promise<Found | null> => {
          const kind = name.endsWith('.git')
            ? 'repository'
            : /\.git\.(making|removing)-[0-9a-f]+$/.exec(name)?.[1] === 'making'
              ? 'making'
              : name.includes(`.git${REMOVING}`)
                ? 'removing'
                : null;
          const path = join(directory, name);
          const places = ['', 'HEAD', 'objects', 'refs', 'refs/heads'].map((part) => join(root, path, part));
          const infos = await Promise.all(places.map((place) => stat(place).catch(() => null)));
          const last = Math.max(...infos.map((info) => (info ? Math.max(info.mtimeMs, info.ctimeMs) : 0)));
          return kind === null || last === 0 ? null : { path, kind, ageMs: Date.now() - last };
        }),
      );
      yield found.filter((entry) => entry !== null);
    }
}

/** Moves what nobody knows out of the way, beside the others; answers where to. Removes it when it was never whole. */
export async function setAside(root: string, found: Found): Promise<string | null> {
  if (found.kind !== 'repository') {
    await rm(join(root, found.path), { recursive: true, force: true });
    return null;
  }
  const to = join('@orphans', `${new Date().toISOString().slice(0, 10)}-${basename(found.path)}`);
  await mkdir(join(root, '@orphans'), { recursive: true, mode: 0o700 });
  await rename(join(root, found.path), join(root, to));
  return to;
}
