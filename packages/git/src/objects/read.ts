/** Reading objects by id: parsed, cached (objects never change), large blobs as streams. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { type ObjectHeader, objectHeader, type RawObject, rawObject } from '../process/cat-file.ts';
import { ownedOutput, streamGit } from '../process/run.ts';
import { EMPTY_TREE, type Sha } from '../types.ts';
import { type Commit, parseCommit, parseTag, parseTree, type Tag, type TreeEntry } from './parse.ts';

/** Commits, tags and trees beyond this are refused: no honest one comes near. */
const MAX_STRUCTURED_BYTES = 32 * 1024 * 1024;
/** Blobs up to this are kept in the cache. */
const CACHED_BLOB_BYTES = 64 * 1024;
/** Blobs up to this are read through the shared process, larger ones through one of their own. */
const SHARED_BLOB_BYTES = 1024 * 1024;

/** Reads through the cache; `null` (absent) is not remembered, because an object can arrive later. */
async function cached<T>(repo: Repo, kind: string, id: Sha, load: () => Promise<{ value: T; bytes: number } | null>) {
  const key = `${kind}${repo.key}:${id}`;
  const known = repo.git.cache.get(key);
  if (known !== undefined) return known as T;
  if (repo.quarantine) {
    const old = repo.git.cache.get(`${kind}${repo.quarantine.base.key}:${id}`);
    if (old !== undefined) return old as T;
  }
  const loaded = await load();
  if (!loaded) return null;
  repo.git.cache.set(key, loaded.value, loaded.bytes);
  return loaded.value;
}

async function structured<T>(
  repo: Repo,
  type: string,
  id: Sha,
  parse: (data: Buffer) => T,
  factor: number,
): Promise<T | null> {
  return cached(repo, type, id, async () => {
    const object = await rawObject(repo, id, MAX_STRUCTURED_BYTES);
    if (object?.type !== type) return null;
    try {
      return { value: parse(object.data), bytes: 300 + object.size * factor };
    } catch (error) {
      throw new GitError('corrupt', `${type} ${id} cannot be read`, { cause: error });
    }
  });
}

/** Type and size; null when absent. */
export async function readHeader(repo: Repo, id: Sha): Promise<ObjectHeader | null> {
  return cached(repo, 'header', id, async () => {
    const header = await objectHeader(repo, id);
    return header ? { value: { type: header.type, size: header.size }, bytes: 60 } : null;
  });
}

/** Any object with its bytes; null when absent, `limit` beyond `maxBytes`. Not cached. */
export function readObject(repo: Repo, id: Sha, options: { maxBytes: number }): Promise<RawObject | null> {
  return rawObject(repo, id, options.maxBytes);
}

/** A parsed commit; null when absent or of another type. Treat it as immutable: it is shared through the cache. */
export function readCommit(repo: Repo, id: Sha): Promise<Commit | null> {
  return structured(repo, 'commit', id, (data) => parseCommit(id, data), 3);
}

/** Several commits in the given order; absent ones are left out. */
export async function readCommits(repo: Repo, ids: readonly Sha[]): Promise<Commit[]> {
  const commits = await Promise.all(ids.map((id) => readCommit(repo, id)));
  return commits.filter((commit) => commit !== null);
}

/** An annotated tag object; null when absent or of another type. */
export function readTag(repo: Repo, id: Sha): Promise<Tag | null> {
  return structured(repo, 'tag', id, (data) => parseTag(id, data), 3);
}

/** The entries of one tree in git's order; null when absent or of another type. Shared: do not change it. */
export async function readTree(repo: Repo, id: Sha): Promise<readonly TreeEntry[] | null> {
  if (id === EMPTY_TREE) return [];
  return structured<readonly TreeEntry[]>(repo, 'tree', id, parseTree, 6);
}

export interface Blob {
  id: Sha;
  size: number;
  data: Buffer;
}

/** A blob in memory; null when absent or of another type, `limit` beyond `maxBytes` (default 10 MiB). */
export async function readBlob(repo: Repo, id: Sha, options: { maxBytes?: number } = {}): Promise<Blob | null> {
  const maxBytes = options.maxBytes ?? 10 * 1024 * 1024;
  const key = `blob${repo.key}:${id}`;
  const known = repo.git.cache.get(key) as Blob | undefined;
  if (known && known.size <= maxBytes) return known;
  const header = await readHeader(repo, id);
  if (header?.type !== 'blob') return null;
  if (header.size > maxBytes) {
    throw new GitError('limit', `the file has ${header.size} bytes, more than the limit of ${maxBytes}`);
  }
  if (header.size > SHARED_BLOB_BYTES) {
    const chunks: Buffer[] = [];
    const stream = await streamBlob(repo, id);
    for await (const chunk of stream?.stdout ?? []) chunks.push(chunk as Buffer);
    return { id, size: header.size, data: Buffer.concat(chunks) };
  }
  const object = await rawObject(repo, id, maxBytes);
  if (!object) return null;
  const blob = { id, size: object.size, data: object.data };
  if (object.size <= CACHED_BLOB_BYTES) repo.git.cache.set(key, blob, object.size + 100);
  return blob;
}

/**
 * A blob of any size as a stream with its size; null when absent or of another type. Destroying `stdout` ends the
 * process; a failure in the middle destroys it with a GitError.
 */
export async function streamBlob(repo: Repo, id: Sha): Promise<{ size: number; stdout: Readable } | null> {
  const header = await readHeader(repo, id);
  if (header?.type !== 'blob') return null;
  const stdout = ownedOutput(await streamGit(repo, ['cat-file', 'blob', id], { work: 'download' }));
  return { size: header.size, stdout };
}

/** SHA-256 of the bytes of a blob, in hexadecimal; null when absent or of another type. */
export async function blobHash(repo: Repo, id: Sha): Promise<string | null> {
  return cached(repo, 'sha256', id, async () => {
    const header = await readHeader(repo, id);
    if (header?.type !== 'blob') return null;
    const hash = createHash('sha256');
    if (header.size <= SHARED_BLOB_BYTES) hash.update((await readBlob(repo, id))?.data ?? '');
    else for await (const chunk of (await streamBlob(repo, id))?.stdout ?? []) hash.update(chunk as Buffer);
    return { value: hash.digest('hex'), bytes: 64 };
  });
}
