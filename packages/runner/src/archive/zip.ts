/** Writing archives: a zip of collected entries, or the gzip of report files; streaming, in constant memory. */
import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ZipFile } from 'yazl';
import type { CollectedEntry } from './collect.ts';

// A file that was replaced by a link since it was looked at is not followed.
async function openPlain(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const found = await file.stat();
  if (found.isFile()) return file;
  await file.close();
  throw new Error(`${path} is not a regular file`);
}

/** Writes a zip of `entries` (below `workspace`) to `target`, readable by us only. */
export async function writeZip(workspace: string, entries: CollectedEntry[], target: string): Promise<void> {
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => zip.on('error', reject));
  for (const entry of entries) {
    const { path, mtime } = entry;
    const from = join(workspace, path);
    if (entry.kind === 'directory') zip.addEmptyDirectory(path, { mtime, mode: 0o40000 | entry.mode });
    else if (entry.kind === 'link') {
      zip.addBuffer(Buffer.from(await readlink(from)), path, { mtime, mode: 0o120777, compress: false });
    } else {
      zip.addReadStreamLazy(path, { mtime, mode: 0o100000 | entry.mode }, (done) => {
        openPlain(from).then(
          (file) => done(null, file.createReadStream()),
          (error: unknown) => done(error, undefined as never),
        );
      });
    }
  }
  zip.end();
  const written = pipeline(zip.outputStream as Readable, createWriteStream(target, { mode: 0o600 }));
  await Promise.race([written, failed]);
}

/** Writes the files one after the other, each gzipped: decompressed, that is their concatenation. */
export async function writeGzip(workspace: string, entries: CollectedEntry[], target: string): Promise<void> {
  for (const entry of entries.filter((candidate) => candidate.kind === 'file')) {
    const file = await openPlain(join(workspace, entry.path));
    const output = createWriteStream(target, { mode: 0o600, flags: 'a' });
    await pipeline(file.createReadStream(), createGzip(), output);
  }
}

/** Copies the one file of a raw artifact. */
export async function writeRaw(workspace: string, entry: CollectedEntry, target: string): Promise<void> {
  const file = await openPlain(join(workspace, entry.path));
  await pipeline(file.createReadStream(), createWriteStream(target, { mode: 0o600 }));
}
