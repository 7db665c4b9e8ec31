/** New objects wait in a directory of their own until everything about them is decided, then move into the store. */
import { mkdir, open, readdir, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError, storageError } from '../errors.ts';
import { randomSuffix } from '../refs/files.ts';
import { filesBelow } from '../repository/files-below.ts';
import type { Sha } from '../types.ts';
import { moveFile } from './move-file.ts';
import { createOverlay, type Overlay } from './overlay.ts';

/** Directories below `objects/` with this prefix are quarantines. */
export const QUARANTINE_PREFIX = 'incoming-';

/** What every commit made here gets: a committer besides its author, and a signature. */
export interface CommitStamp {
  readonly name: string;
  readonly email: string;
  /** Signs the bytes of a commit; answers the armoured signature. */
  sign(commit: Buffer): string;
}

export interface Quarantine {
  /** The repository with the quarantined objects visible: give it to every reading and writing function. */
  repo: Repo;
  /** The repository itself, without them. */
  base: Repo;
  path: string;
  overlay: Overlay;
  /** By the clock of the storage, in milliseconds. */
  madeAt: number;
  /** Null where commits are made as they are given. */
  stamp: CommitStamp | null;
}

/** Makes an empty quarantine. It must end with migrateQuarantine or discardQuarantine. */
export async function createQuarantine(base: Repo, stamp: CommitStamp | null = null): Promise<Quarantine> {
  if (base.quarantine) throw new GitError('invalid', 'a quarantine cannot hold another');
  const path = join(base.path, 'objects', `${QUARANTINE_PREFIX}${randomSuffix()}`);
  let madeAt: number;
  try {
    await mkdir(path, { mode: 0o700 });
    await mkdir(join(path, 'pack'));
    madeAt = (await stat(path)).mtimeMs;
  } catch (error) {
    throw storageError(error) ?? new GitError('failed', 'a quarantine could not be made', { cause: error });
  }
  const overlay = createOverlay();
  const repo: Repo = { ...base, key: base.git.keyOf(base.path, true), quarantine: { path, base, overlay } };
  return { repo, base, path, overlay, madeAt, stamp };
}

/** Removes the quarantine with all that is in it; harmless when it is gone already. */
export async function discardQuarantine(quarantine: Quarantine): Promise<void> {
  quarantine.base.git.helpers.closeKey(quarantine.repo.key);
  // A write under way would make its directory again behind our back.
  await quarantine.overlay.settle().catch(() => {});
  await rm(quarantine.path, { recursive: true, force: true });
}

/** The index comes last: git believes in a pack as soon as it sees its index. */
function packOrder(name: string): number {
  const order = ['.keep', '.pack', '.rev', '.idx'].findIndex((suffix) => name.endsWith(suffix));
  return order < 0 ? 1 : order;
}

/**
 * Moves all objects into the repository and removes the quarantine. Their bytes are on disk; their new names become
 * durable with the reference that updateRefs writes and syncs next, as in git itself: journals keep the order.
 */
export async function migrateQuarantine(quarantine: Quarantine): Promise<void> {
  try {
    await migrated(quarantine);
  } catch (error) {
    throw storageError(error) ?? error;
  }
}

async function migrated(quarantine: Quarantine): Promise<void> {
  const store = join(quarantine.base.path, 'objects');
  await quarantine.overlay.settle();
  quarantine.base.git.helpers.closeKey(quarantine.repo.key);
  const directories = (await readdir(quarantine.path)).filter((name) => /^[0-9a-f]{2}$|^pack$/.test(name));
  await Promise.all(
    directories.map(async (directory) => {
      const from = join(quarantine.path, directory);
      const to = join(store, directory);
      const files = (await readdir(from)).filter((name) => !name.startsWith('tmp_'));
      if (files.length === 0) return;
      await mkdir(to, { recursive: true });
      // Content-addressed: a rename over an existing file replaces it by the same bytes.
      if (directory === 'pack') {
        files.sort((a, b) => packOrder(a) - packOrder(b));
        for (const file of files) await moveFile(join(from, file), join(to, file));
        // Big, and worth a flush of its own where a journal does not keep the order (network file systems).
        await syncDirectory(to);
      } else await Promise.all(files.map((file) => moveFile(join(from, file), join(to, file))));
    }),
  );
  await rm(quarantine.path, { recursive: true, force: true });
}

/** Makes what a directory lists durable. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes one loose object of the quarantine, for intermediate results that nothing will refer to. */
export async function dropQuarantined(quarantine: Quarantine, id: Sha): Promise<void> {
  await quarantine.overlay.settle();
  quarantine.overlay.forget(id);
  await unlink(join(quarantine.path, id.slice(0, 2), id.slice(2))).catch(() => {});
}

/** Bytes on disk of what is quarantined. */
export async function quarantineBytes(quarantine: Quarantine): Promise<number> {
  await quarantine.overlay.settle();
  const files = await filesBelow(quarantine.path);
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
