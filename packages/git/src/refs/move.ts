/**
 * Moves one reference without starting git, by git's own steps: a lock file that only one can make, the old value
 * compared under it, the new one written and synced, renamed over the reference. Every git keeps away from a reference
 * whose lock file is there, so the two ways go together.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, renameSync, rmSync, type Stats } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError, storageError } from '../errors.ts';
import { objectHeader } from '../process/cat-file.ts';
import { type RefName, type Sha, ZERO_SHA } from '../types.ts';
import { looseText, packedNear } from './files.ts';
import { parseRefName } from './names.ts';

/**
 * A lock file that is made here can be told from one of git: its owner may execute it. Of git's the guard of references says
 * whether their writer lives; of these, this process knows its own.
 */
const LOCK_MODE = 0o777;
const MARK = 0o100;
const heldHere = new Set<string>();
const numberOf = ({ dev, ino }: Pick<Stats, 'dev' | 'ino'>) => `${dev}:${ino}`;

/** Whose a lock file is: of a move in this process, which lives; of one in this or another, which may; of git. */
export const lockOwner = (info: Stats): 'here' | 'alone' | 'git' =>
  heldHere.has(numberOf(info)) ? 'here' : (info.mode & MARK) !== 0 ? 'alone' : 'git';

interface Move {
  readonly ref: RefName;
  /** As in `RefUpdate`. */
  readonly old?: Sha;
  readonly new: Sha;
}

/** Whether references may move so: one of them, and not away. */
export const movesAlone = (updates: readonly Move[]): boolean =>
  updates.length === 1 && updates.every((update) => update.new !== ZERO_SHA && parseRefName(update.ref) !== null);

/**
 * Moves a reference, or answers false without having touched anything: what git has more to say about (a lock file that is
 * there, an object that is not, `a` against `a/b`, a symbolic reference) is left to it. `beforeMoving` runs when the
 * reference is locked and has its expected value: what it throws is thrown, and nothing moves.
 */
export async function moveAlone(repo: Repo, update: Move, beforeMoving?: () => Promise<void>): Promise<boolean> {
  const target = join(repo.path, update.ref);
  const lock = `${target}.lock`;
  const header = await objectHeader(repo, update.new);
  if (!header || (update.ref.startsWith('refs/heads/') && header.type !== 'commit')) return false;
  if (await inTheWay(repo, update.ref)) return false;
  if (update.old === undefined && !beforeMoving) return await moveAtOnce(repo, update, target);
  const held = await locked(lock);
  if (held === null) return false;
  try {
    const now = await currentValue(repo, update.ref);
    if (now === undefined) {
      await unlocked(held, lock);
      return false;
    }
    requireExpected(update, now);
    // The bytes and the caller's last word reach the disk side by side; the name moves after both.
    const [written, said] = await Promise.allSettled([store(held, update.new), beforeMoving?.()]);
    for (const outcome of [said, written]) if (outcome.status === 'rejected') throw outcome.reason;
    // Nothing comes between: whoever took the caller for dead has removed the lock file by then, and may have made another.
    if (!isOurs(held, lock)) throw new LostLock();
    chmodSync(lock, held.info.mode & 0o666);
    renameSync(lock, target);
    return true;
  } catch (error) {
    await unlocked(held, lock);
    throw (error instanceof GitError ? null : storageError(error)) ?? error;
  } finally {
    heldHere.delete(numberOf(held.info));
  }
}

/** The lock file is there, its place is none for a file, or the file system knows no second name for one. */
const leftToGit = new Set(['EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP']);

/**
 * The same where nothing is compared and nobody has a last word, as for references of the service: what takes time is done
 * before, and the file becomes the lock and then the reference in one go. A lock that a killed server left would stay where
 * nobody writes that reference again; the temporary name is one that git and maintenance remove.
 */
async function moveAtOnce(repo: Repo, { ref, new: id }: Move, target: string): Promise<boolean> {
  if ((await currentValue(repo, ref)) === undefined) return false;
  const lock = `${target}.lock`;
  const temporary = join(repo.path, 'objects', `tmp_obj_${randomUUID()}`);
  try {
    await mkdir(dirname(target), { recursive: true });
    await store({ handle: await open(temporary, 'wx') }, id);
    linkSync(temporary, lock);
    try {
      renameSync(lock, target);
    } catch (error) {
      rmSync(lock, { force: true });
      throw error;
    }
    return true;
  } catch (error) {
    if (leftToGit.has((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw storageError(error) ?? error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Somebody removed the lock file: nothing has moved, and nothing says what the reference is by now. */
export class LostLock extends GitError {
  constructor() {
    super('locked', 'the lock of the reference was lost');
  }
}

interface Held {
  readonly handle: FileHandle;
  readonly info: Stats;
}

/** Another reference stands where this one would be a folder, or the reverse; empty folders are git's to remove. */
async function inTheWay(repo: Repo, ref: RefName): Promise<boolean> {
  if ((await looseText(repo, ref)) !== null) return false;
  const found = await stat(join(repo.path, ref)).catch(() => null);
  return found !== null || (await packedNear(repo, ref)).inTheWay;
}

/** The lock file, made here; null when it or something on its way is there already. */
async function locked(lock: string): Promise<Held | null> {
  try {
    await mkdir(dirname(lock), { recursive: true });
    const handle = await open(lock, 'wx', LOCK_MODE);
    const info = await handle.stat();
    heldHere.add(numberOf(info));
    return { handle, info };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (['EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes(code ?? '')) return null;
    throw storageError(error) ?? error;
  }
}

async function store({ handle }: Pick<Held, 'handle'>, id: Sha): Promise<void> {
  await handle.writeFile(`${id}\n`);
  await handle.sync();
  await handle.close();
}

const isOurs = ({ info }: Held, lock: string): boolean => lstatSync(lock, { throwIfNoEntry: false })?.ino === info.ino;

async function unlocked(held: Held, lock: string): Promise<void> {
  await held.handle.close().catch(() => undefined);
  if (isOurs(held, lock)) await rm(lock, { force: true });
}

/** The value under the lock; null: none; undefined: no plain value. */
async function currentValue(repo: Repo, ref: RefName): Promise<Sha | null | undefined> {
  const text = await looseText(repo, ref);
  if (text !== null) return /^[0-9a-f]{40}$/.test(text) ? (text as Sha) : undefined;
  return (await packedNear(repo, ref)).value;
}

function requireExpected({ ref, old }: Move, now: Sha | null): void {
  if (old === undefined || (now ?? ZERO_SHA) === old) return;
  if (old === ZERO_SHA) throw new GitError('exists', `${ref} exists already`);
  throw new GitError('conflict', `${ref} has another value than expected`);
}
