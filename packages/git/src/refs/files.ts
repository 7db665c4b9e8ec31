/** Reads references straight from the repository's files, as git does: loose file first, then packed-refs. */
import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { isSha, type RefName, type Sha } from '../types.ts';
import { branchRef, parseRefName } from './names.ts';

interface PackedRefs {
  stamp: string;
  values: Map<string, Sha>;
}

function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Missing, or a directory where a file was looked for (`a` against `a/b`). */
function isAbsent(error: unknown): boolean {
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

/** packed-refs is replaced by rename, so inode, size and time name its version; parsed once per version. */
async function packedRefs(repo: Repo): Promise<Map<string, Sha>> {
  const file = join(repo.path, 'packed-refs');
  let info: Awaited<ReturnType<typeof stat>>;
  try {
    info = await stat(file);
  } catch (error) {
    if (isAbsent(error)) return new Map();
    throw error;
  }
  const stamp = `${info.ino}:${info.size}:${info.mtimeMs}:${info.ctimeMs}`;
  const key = `packed${repo.key}`;
  const known = repo.git.cache.get(key) as PackedRefs | undefined;
  if (known?.stamp === stamp) return known.values;
  const text = (await readText(file)) ?? '';
  const values = new Map<string, Sha>();
  for (const line of text.split('\n')) {
    const id = line.slice(0, 40);
    if (line[40] === ' ' && isSha(id)) values.set(line.slice(41), id);
  }
  repo.git.cache.set(key, { stamp, values }, text.length * 3);
  return values;
}

/** The object id a reference has now; null when it does not exist. Symbolic references below `refs/` are not followed. */
export async function readRef(repo: Repo, ref: RefName): Promise<Sha | null> {
  if (parseRefName(ref) === null) return null;
  const loose = (await readText(join(repo.path, ref)))?.trim();
  if (loose && isSha(loose)) return loose;
  return (await packedRefs(repo)).get(ref) ?? null;
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

/** Points HEAD to a branch (short name), as git does it: lock file, fsync, rename. `locked` when another is at it. */
export async function setDefaultBranch(repo: Repo, branch: string): Promise<void> {
  const ref = branchRef(branch);
  if (!ref) throw new GitError('invalid', 'not an acceptable branch name');
  const lock = join(repo.path, 'HEAD.lock');
  await replaceFile(lock, join(repo.path, 'HEAD'), `ref: ${ref}\n`);
}

async function replaceFile(lock: string, target: string, text: string): Promise<void> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(lock, 'wx');
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw new GitError('locked', `${target} is locked`);
    if (isAbsent(error)) throw new GitError('not_found', 'no such repository');
    throw error;
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
