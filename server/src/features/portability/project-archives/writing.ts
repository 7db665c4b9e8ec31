/** Archives as they are written: files whose sizes are known before their bytes, packed into one object of the storage. */
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { ArchiveError, largestEntry, tarEnd, tarHeader, tarPadding } from './tar.ts';

export interface Entry {
  readonly name: string;
  readonly size: number;
  readonly bytes: () => AsyncIterable<Buffer>;
}

/** Writes what comes into a file; entries of an archive tell their size before their bytes. */
export async function spool(directory: string, name: string, source: AsyncIterable<Buffer | string>): Promise<Entry> {
  const file = path.join(directory, name.replaceAll('/', '-'));
  const handle = await open(file, 'wx', 0o600);
  let size = 0;
  try {
    for await (const chunk of source) {
      const { bytesWritten } = await handle.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
      size += bytesWritten;
      if (size > largestEntry) throw new ArchiveError(`${name} is larger than an archive can hold`);
    }
  } finally {
    await handle.close();
  }
  return { name, size, bytes: () => createReadStream(file) };
}

/** An object of the storage. */
export const storedEntry = (
  objects: Pick<ObjectStore, 'get'>,
  { name, size, key }: { readonly name: string; readonly size: number; readonly key: string },
): Entry => ({ name, size, bytes: () => objects.get(key) as AsyncIterable<Buffer> });

/** One JSON object a line. */
export async function* lines(batches: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  for await (const rows of batches) if (rows.length > 0) yield `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
}

async function* archive(entries: readonly Entry[]): AsyncGenerator<Buffer> {
  for (const { name, size, bytes } of entries) {
    yield tarHeader(name, size);
    if (size > 0) yield* bytes();
    yield tarPadding(size);
  }
  yield tarEnd;
}

/** Gives `work` a directory for what it spools, and removes it with everything in it. */
export async function inExportDirectory<T>(
  { temporary }: Pick<ObjectStore, 'temporary'>,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(path.join(temporary, 'export-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs an export as a task. `failed` is told the reason once it is not tried again: at once where it is known, else at last. */
export async function attemptExport(
  what: 'group' | 'project',
  { attempt, maxAttempts }: { readonly attempt: number; readonly maxAttempts: number },
  run: () => Promise<void>,
  failed: (reason: string) => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    const known = error instanceof ArchiveError || error instanceof HttpError;
    if (known || attempt >= maxAttempts) await failed(known ? error.message : `The ${what} could not be exported`);
    if (!known) throw error;
  }
}

/** Packs entries, up to what the instance lets an archive be. */
export async function keepArchive(
  { objects, settings }: { readonly objects: Pick<ObjectStore, 'put'>; readonly settings: Settings },
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly size: number }> {
  const megabytes = (await settings.read()).max_export_size;
  const gzip = createGzip();
  const gzipped = Readable.from(archive(entries))
    .on('error', (error) => gzip.destroy(error))
    .pipe(gzip);
  const limit = megabytes > 0 ? { maxBytes: megabytes * 1024 ** 2 } : {};
  return await objects.put(gzipped, { ...limit, limitName: 'max_export_size', signal });
}
