/** Archives in which files of Git LFS have their content in place of the pointers that the repository keeps. */
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';
import { paddingOf, resized, type TarEntry, tarEnd, tarEntries } from './tar-entries.ts';

/** The content behind a small file; null for files that stand for themselves. */
export type ContentBehind = (file: Buffer) => Promise<{ readonly size: number; readonly open: () => Readable } | null>;

/** Entries with the size and bytes that they shall have. */
async function* withContent(tar: Readable, behind: ContentBehind, longestPointer: number): AsyncGenerator<TarEntry> {
  for await (const entry of tarEntries(tar as AsyncIterable<Buffer>)) {
    if (entry.kind !== 'file' || entry.size === 0 || entry.size > longestPointer) {
      yield entry;
      continue;
    }
    const own = await Array.fromAsync(entry.body);
    const found = await behind(Buffer.concat(own));
    if (!found) yield { ...entry, body: Readable.from(own) };
    else yield { ...entry, size: found.size, head: resized(entry.head, found.size), body: opened(found.open) };
  }
}

/** Opened when it is read, and let go of when its reader stops. */
async function* opened(open: () => Readable): AsyncGenerator<Buffer> {
  const stream = open();
  try {
    yield* stream as AsyncIterable<Buffer>;
  } finally {
    stream.destroy();
  }
}

/** A tar file of git's, rewritten while it passes. */
export function tarWithContent(tar: Readable, behind: ContentBehind, longestPointer: number): Readable {
  async function* written(): AsyncGenerator<Buffer> {
    for await (const entry of withContent(tar, behind, longestPointer)) {
      yield entry.head;
      yield* entry.body;
      yield paddingOf(entry.size);
    }
    yield tarEnd;
  }
  return released(Readable.from(written(), { objectMode: false }), tar);
}

/** The same files as a zip. */
export function zipWithContent(tar: Readable, behind: ContentBehind, longestPointer: number): Readable {
  const zip = new yazl.ZipFile();
  const output = new PassThrough();
  const closing = new AbortController();
  zip.outputStream.pipe(output);
  const fail = (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error)));
  zip.on('error', fail);
  async function fill(): Promise<void> {
    for await (const { kind, name, link, mode, time, size, body } of withContent(tar, behind, longestPointer)) {
      const mtime = new Date(time * 1000);
      if (kind === 'directory') zip.addEmptyDirectory(name, { mtime, mode: 0o40000 | mode });
      else if (kind === 'symlink') zip.addBuffer(Buffer.from(link), name, { mtime, mode: 0o120777 });
      else if (kind === 'file') {
        // One after the other: the next entry comes out of the same stream.
        const content = new PassThrough();
        zip.addReadStream(content, name, { mtime, mode: 0o100000 | mode, size });
        await pipeline(body, content, { signal: closing.signal });
      }
      if (output.writableNeedDrain) await once(output, 'drain', { signal: closing.signal });
    }
    zip.end();
  }
  output.once('close', () => closing.abort());
  fill().catch(fail);
  return released(output, tar);
}

/** Whoever goes away in the middle ends git as well. */
function released(stream: Readable, source: Readable): Readable {
  stream.once('close', () => source.destroy());
  source.once('error', (error) => stream.destroy(error));
  return stream;
}
