/** Objects as files in a directory that all processes share. */
import { hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { tooLarge } from '../http/errors.ts';
import { writeDraft } from './drafts.ts';
import {
  checkedKey,
  draftLifetime,
  isKey,
  measure,
  newKey,
  type ObjectStore,
  type PutOptions,
  wrongSize,
} from './store.ts';

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the directory of files in flight, without those whose process died. What is young may belong to another process. */
export async function openDrafts(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    const found = await stat(file).catch(() => null);
    if (found && Date.now() - found.mtimeMs > draftLifetime) await rm(file, { recursive: true, force: true });
  }
}

/** Opens the store below a directory and makes it. */
export async function openFileStore(root: string): Promise<ObjectStore> {
  const temporary = path.join(root, 'tmp');
  await openDrafts(temporary);

  const pathOf = (key: string) => path.join(root, checkedKey(key).slice(0, 2), key.slice(2, 4), key);
  const draftName = () => path.join(temporary, `put-${randomBytes(12).toString('hex')}`);
  const statOf = (key: string) => stat(pathOf(key)).catch(() => null);

  async function take(file: string, key: string): Promise<void> {
    const handle = await open(file, 'r+');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await place(file, key);
  }

  /** Moves a file whose bytes are on the disk to where its key says. */
  async function place(file: string, key: string): Promise<void> {
    const target = pathOf(key);
    const created = await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rename(file, target);
    // A new directory is lost with its entry in the one above.
    for (let directory = path.dirname(target); ; directory = path.dirname(directory)) {
      await syncDirectory(directory);
      if (created === undefined || directory === path.dirname(created)) break;
    }
  }

  /** Bytes that are there already, without what a stream takes: for short ones several times as much as to write them. */
  async function keepBytes(bytes: Buffer, options: PutOptions) {
    const { maxBytes = Number.POSITIVE_INFINITY, limitName = 'max_object_bytes', signal } = options;
    signal?.throwIfAborted();
    if (bytes.length > maxBytes) throw tooLarge(limitName, maxBytes);
    const kept = { key: newKey(), size: bytes.length, sha256: hash('sha256', bytes, 'buffer') };
    const draft = draftName();
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await place(draft, kept.key);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return kept;
  }

  async function keep(key: string, stream: Readable, options: PutOptions, exactly?: number) {
    const draft = draftName();
    const measured = measure(options);
    await writeDraft(draft, stream, [measured.through], options.signal);
    try {
      const kept = { key, ...measured.result() };
      if (exactly !== undefined && kept.size !== exactly) throw wrongSize(kept, exactly);
      await take(draft, key);
      return kept;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  return {
    temporary,
    put: (source, options = {}) =>
      Buffer.isBuffer(source) ? keepBytes(source, options) : keep(newKey(), source, options),
    async putFile(file, { size, sha256 }) {
      const key = newKey();
      await take(file, key);
      return { key, size, sha256 };
    },
    get: (key, range) => createReadStream(pathOf(key), range ?? {}),
    exists: async (key) => (await statOf(key)) !== null,
    size: async (key) => (await statOf(key))?.size ?? null,
    async signedUrl(key) {
      checkedKey(key);
      return null;
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    async check() {
      const probe = path.join(temporary, `check-${randomBytes(6).toString('hex')}`);
      const handle = await open(probe, 'wx', 0o600);
      await handle.close();
      await rm(probe);
    },
    sweep: () => openDrafts(temporary),
    async *list() {
      for (const first of await readdir(root)) {
        if (!/^[0-9a-f]{2}$/.test(first)) continue;
        for (const second of await readdir(path.join(root, first)))
          for (const key of await readdir(path.join(root, first, second))) {
            const found = isKey(key) ? await statOf(key) : null;
            if (found) yield { key, size: found.size };
          }
      }
    },
    adopt: async (key, stream, size) => void (await keep(key, stream, { maxBytes: size }, size)),
  };
}
