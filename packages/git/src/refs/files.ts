/** Reads references straight from the repository's files, as git does: loose file first, then packed-refs. */
import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError, storageError } from '../errors.ts';
import { canGuard, guarded } from '../process/guard.ts';
import { isSha, type RefName, type Sha } from '../types.ts';
import { branchRef, parseRefName } from './names.ts';

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Missing, or a directory where a file was looked for (`a` against `a/b`), or the other way round. */
export function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(error) ?? '');
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

/** packed-refs as it is: lines in the order of names, which are searched where they lie. */
export interface PackedRefs {
  readonly stamp: string;
  readonly data: Buffer;
}

const NEWLINE = 0x0a;
const COMMENT = 0x23;
const PEELED = 0x5e;
const nothingPacked: PackedRefs = { stamp: '', data: Buffer.alloc(0) };

const stampOf = (info: Stats) => `${info.ino}:${info.size}:${info.mtimeMs}:${info.ctimeMs}`;

/** packed-refs is replaced by rename, so inode, size and time name its version; read once per version. */
export async function packedRefs(repo: Repo): Promise<PackedRefs> {
  const file = join(repo.path, 'packed-refs');
  const key = `packed${repo.key}`;
  let handle: FileHandle;
  try {
    const seen = repo.git.snapshots.get(key) as PackedRefs | undefined;
    // Nearly always: one question to the system, where opening and closing would be four.
    if (seen && stampOf(await stat(file)) === seen.stamp) return seen;
    handle = await open(file, 'r');
  } catch (error) {
    if (isAbsent(error)) return nothingPacked;
    throw error;
  }
  try {
    const stamp = stampOf(await handle.stat());
    const known = repo.git.snapshots.get(key) as PackedRefs | undefined;
    if (known?.stamp === stamp) return known;
    const data = await handle.readFile();
    const packed = { stamp, data: isSorted(data) ? data : sorted(data) };
    repo.git.snapshots.set(key, packed, data.length);
    return packed;
  } finally {
    await handle.close();
  }
}

const isSorted = (data: Buffer) =>
  data.length === 0 || /^# pack-refs with:.* sorted /.test(data.toString('latin1', 0, 100));

/** Files of other programs may have any order. */
function sorted(data: Buffer): Buffer {
  const entries: { name: Buffer; text: Buffer[] }[] = [];
  for (const line of linesOf(data)) {
    if (data[line.start] === PEELED) entries.at(-1)?.text.push(data.subarray(line.start, line.end));
    else entries.push({ name: data.subarray(line.start + 41, line.end), text: [data.subarray(line.start, line.end)] });
  }
  entries.sort((a, b) => Buffer.compare(a.name, b.name));
  const newline = Buffer.from('\n');
  return Buffer.concat(entries.flatMap(({ text }) => text.flatMap((part) => [part, newline])));
}

/** Where lines are, without the comments in front. */
function* linesOf(data: Buffer): Generator<{ start: number; end: number }> {
  for (let start = 0; start < data.length; ) {
    const newline = data.indexOf(NEWLINE, start);
    const end = newline === -1 ? data.length : newline;
    if (data[start] !== COMMENT && end - start >= 41) yield { start, end };
    start = end + 1;
  }
}

function idAt(data: Buffer, start: number): Sha {
  const id = data.toString('latin1', start, start + 40);
  if (!isSha(id)) throw new GitError('failed', 'packed-refs is damaged');
  return id;
}

/** Where the line of a packed reference is, found by halving: the first whose name is not before `name`. */
function packedLine({ data }: PackedRefs, name: string): { readonly start: number; readonly name: Buffer } | null {
  const wanted = Buffer.from(name);
  let found: { start: number; name: Buffer } | null = null;
  let low = 0;
  let high = data.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // The line that holds the middle; of a peeled one or a comment, the one before or after it.
    let start = middle === 0 ? 0 : data.lastIndexOf(NEWLINE, middle - 1) + 1;
    if (data[start] === PEELED && start > low) start = start < 2 ? 0 : data.lastIndexOf(NEWLINE, start - 2) + 1;
    const newline = data.indexOf(NEWLINE, start);
    const end = newline === -1 ? data.length : newline;
    if (data[start] === COMMENT || data[start] === PEELED) {
      low = end + 1;
      continue;
    }
    const there = data.subarray(start + 41, end);
    const order = Buffer.compare(there, wanted);
    if (order === 0) return { start, name: there };
    if (order < 0) low = end + 1;
    else {
      found = { start, name: there };
      high = start;
    }
  }
  return found;
}

function findPacked(packed: PackedRefs, ref: string): Sha | null {
  const line = packedLine(packed, ref);
  return line?.name.equals(Buffer.from(ref)) ? idAt(packed.data, line.start) : null;
}

/** What packed-refs says of a reference, and whether another stands where it would be a folder, or the reverse. */
export async function packedNear(
  repo: Repo,
  ref: RefName,
): Promise<{ readonly value: Sha | null; readonly inTheWay: boolean }> {
  const packed = await packedRefs(repo);
  const parts = ref.split('/');
  const above = parts.slice(3).some((_part, at) => findPacked(packed, parts.slice(0, at + 3).join('/')) !== null);
  const below = packedLine(packed, `${ref}/`)?.name.toString('utf8').startsWith(`${ref}/`) ?? false;
  return { value: findPacked(packed, ref), inTheWay: above || below };
}

/** What the file of a reference says; null where there is none. */
export const looseText = async (repo: Repo, ref: RefName): Promise<string | null> =>
  (await readText(join(repo.path, ref)))?.trim() ?? null;

interface PackedEntry {
  ref: string;
  id: Sha;
  peeled: Sha | null;
}

/** Bytes that are made text at once: what is cut out of a text keeps all of it. */
const WINDOW = 64 * 1024;
/** Windows after which others may work. */
const WINDOWS_AT_ONCE = 10;

/** Where a window that begins here ends: behind a line that no peeled one follows. */
function windowEnd(data: Buffer, start: number): number {
  let end = start + WINDOW;
  do {
    const newline = end < data.length ? data.indexOf(NEWLINE, end) : -1;
    end = newline === -1 ? data.length : newline + 1;
  } while (end < data.length && data[end] === PEELED);
  return end;
}

function shaIn(text: string, start: number): Sha {
  const id = text.slice(start, start + 40);
  if (!isSha(id)) throw new GitError('failed', 'packed-refs is damaged');
  return id;
}

function entriesIn(text: string): PackedEntry[] {
  const entries: PackedEntry[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    const first = text.charCodeAt(start);
    if (end - start >= 41 && first !== COMMENT) {
      const last = entries.at(-1);
      if (first !== PEELED) entries.push({ ref: text.slice(start + 41, end), id: shaIn(text, start), peeled: null });
      else if (last) last.peeled = shaIn(text, start + 1);
    }
    start = end + 1;
  }
  return entries;
}

/**
 * All packed references in the order of names, with what tags lead to. Lets others work in between. Made of texts, not of
 * bytes for each line: the first list of 100,000 takes a quarter of the time.
 */
export async function* packedEntries({ data }: PackedRefs): AsyncGenerator<PackedEntry[]> {
  let windows = 0;
  for (let start = 0, end = 0; start < data.length; start = end) {
    end = windowEnd(data, start);
    const window = data.subarray(start, end);
    yield entriesIn(window.toString(isAscii(window) ? 'latin1' : 'utf8'));
    windows += 1;
    if (windows % WINDOWS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * The object ids that references have now, in their order; null for those that do not exist. All loose files are looked at
 * before packed-refs is, so that none is missed while it is being packed.
 */
export async function readRefs(repo: Repo, refs: readonly RefName[]): Promise<(Sha | null)[]> {
  const texts = await Promise.all(
    refs.map(async (ref) => (parseRefName(ref) === null ? null : (await readText(join(repo.path, ref)))?.trim())),
  );
  const loose = texts.map((text) => (text && isSha(text) ? text : null));
  if (texts.every((text, index) => text === null || loose[index])) return loose;
  const packed = await packedRefs(repo);
  return refs.map((ref, index) => loose[index] ?? (texts[index] === null ? null : findPacked(packed, ref)));
}

/** The object id a reference has now; null when it does not exist. Symbolic references below `refs/` are not followed. */
export async function readRef(repo: Repo, ref: RefName): Promise<Sha | null> {
  return (await readRefs(repo, [ref]))[0] ?? null;
}

/** What HEAD points to, also while that branch does not exist yet; null when HEAD is detached or unreadable. */
export async function headRef(repo: Repo): Promise<RefName | null> {
  const text = (await readText(join(repo.path, 'HEAD')))?.trim();
  return text?.startsWith('ref: ') ? parseRefName(text.slice(5).trim()) : null;
}

/** The commit of HEAD; null in an empty repository. */
export async function readHead(repo: Repo): Promise<Sha | null> {
  const text = (await readText(join(repo.path, 'HEAD')))?.trim() ?? '';
  if (isSha(text)) return text;
  const ref = text.startsWith('ref: ') ? parseRefName(text.slice(5).trim()) : null;
  return ref ? readRef(repo, ref) : null;
}

/** Short name of the default branch, existing or not yet; null when HEAD names no branch. */
export async function defaultBranch(repo: Repo): Promise<string | null> {
  const ref = await headRef(repo);
  return ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}

/** Points HEAD to a branch (short name), as git does it: lock file, fsync, rename; while no git moves references. */
export async function setDefaultBranch(repo: Repo, branch: string): Promise<void> {
  const ref = branchRef(branch);
  if (!ref) throw new GitError('invalid', 'not an acceptable branch name');
  const lock = join(repo.path, 'HEAD.lock');
  await guarded(repo, 'refs', async () => {
    // With the guard nobody else is at it: such a lock is of one that was killed.
    if (canGuard(repo.git.path)) await rm(lock, { force: true });
    await replaceFile(lock, join(repo.path, 'HEAD'), `ref: ${ref}\n`);
  });
}

async function replaceFile(lock: string, target: string, text: string): Promise<void> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(lock, 'wx');
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw new GitError('locked', `${target} is locked`);
    throw storageError(error) ?? error;
  }
  try {
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(lock, target);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(lock, { force: true });
    throw error;
  }
}

/** A random suffix for names in the repository's directory. */
export function randomSuffix(): string {
  return randomBytes(9).toString('hex');
}
