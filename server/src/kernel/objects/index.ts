/** Blobs that are not rows: artifacts, traces, uploads. One small interface; names are generated, never a user's. */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { tooLarge } from '../http/errors.ts';

interface StoredObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Buffer;
}

export interface ObjectStore {
  /** Keeps a stream; durable when it resolves. Past `maxBytes` nothing is kept and the error is 413 with `limitName`. */
  put(
    stream: Readable,
    options?: { maxBytes?: number; limitName?: string; signal?: AbortSignal },
  ): Promise<StoredObject>;
  /** Takes over a file of the temporary directory; the file is gone afterwards. */
  putFile(file: string, known: { size: number; sha256: Buffer }): Promise<StoredObject>;
  /** The bytes, or a part of them (`end` inclusive). A missing object makes the stream fail. */
  get(key: string, range?: { start: number; end: number }): Readable;
  /** Path of a local copy for random access; only while it exists. */
  localPath(key: string): Promise<string | null>;
  exists(key: string): Promise<boolean>;
  /** Removes; a missing object is no error. */
  remove(key: string): Promise<void>;
  /** Directory for files in flight, on the same file system. */
  readonly temporary: string;
  /** Fails when nothing can be written. */
  check(): Promise<void>;
}

const keyPattern = /^[0-9a-f]{32}$/;

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const draftLifetime = 24 * 3_600_000;

/** Files in flight whose process died. What is young may belong to another process. */
async function removeOldDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    const found = await stat(file).catch(() => null);
    if (found && Date.now() - found.mtimeMs > draftLifetime) await rm(file, { recursive: true, force: true });
  }
}

/** Opens a store by URL: `file:/path`. Creates its directories. */
export async function openObjectStore(url: string): Promise<ObjectStore> {
  if (url.startsWith('s3:')) throw new Error('MILLRACE_OBJECTS: s3:// is not available yet; use file:/path');
  if (!url.startsWith('file:')) throw new Error(`MILLRACE_OBJECTS: ${url} is neither file:/path nor s3://bucket`);
  const root = decodeURIComponent(url.slice('file:'.length).replace(/^\/\/(?=\/)/, ''));
  const temporary = path.join(root, 'tmp');
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  await removeOldDrafts(temporary);

  const pathOf = (key: string) => {
    if (!keyPattern.test(key)) throw new Error('not an object key');
    return path.join(root, key.slice(0, 2), key.slice(2, 4), key);
  };

  async function take(file: string, known: { size: number; sha256: Buffer }): Promise<StoredObject> {
    const key = randomBytes(16).toString('hex');
    const target = pathOf(key);
    const handle = await open(file, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    const created = await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rename(file, target);
    // A new directory is lost with its entry in the one above.
    for (let directory = path.dirname(target); ; directory = path.dirname(directory)) {
      await syncDirectory(directory);
      if (created === undefined || directory === path.dirname(created)) break;
    }
    return { key, size: known.size, sha256: known.sha256 };
  }

  return {
    temporary,
    putFile: take,
    async put(stream, options = {}) {
      const draft = path.join(temporary, `put-${randomBytes(12).toString('hex')}`);
      const hash = createHash('sha256');
      let size = 0;
      const maximum = options.maxBytes ?? Number.POSITIVE_INFINITY;
      async function* measured(source: AsyncIterable<Buffer>) {
        for await (const chunk of source) {
          size += chunk.length;
          if (size > maximum) throw tooLarge(options.limitName ?? 'max_object_bytes', maximum);
          hash.update(chunk);
          yield chunk;
        }
      }
      try {
        await pipeline(
          stream,
          measured,
          createWriteStream(draft, { flags: 'wx', mode: 0o600 }),
          options.signal ? { signal: options.signal } : {},
        );
        return await take(draft, { size, sha256: hash.digest() });
      } catch (error) {
        await rm(draft, { force: true });
        throw error;
      }
    },
    get: (key, range) => createReadStream(pathOf(key), range ?? {}),
    async localPath(key) {
      const file = pathOf(key);
      return (await stat(file).catch(() => null)) ? file : null;
    },
    exists: async (key) => (await stat(pathOf(key)).catch(() => null)) !== null,
    remove: (key) => rm(pathOf(key), { force: true }),
    async check() {
      const probe = path.join(temporary, `check-${randomBytes(6).toString('hex')}`);
      const handle = await open(probe, 'wx', 0o600);
      await handle.close();
      await rm(probe);
    },
  };
}
