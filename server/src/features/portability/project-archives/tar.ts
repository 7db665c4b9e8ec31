/**
 * Tar files of plain entries, written and read as streams. The reader knows nothing but regular files with short names:
 * links, devices, long names and everything else of the format are refused, and nothing is ever written to a path that an
 * archive names.
 */

import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** What is wrong with an archive, told to whoever sent it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export const block = 512;
/** Eleven octal digits. */
export const largestEntry = 8 * 1024 ** 3 - 1;
const plainName = /^[a-z0-9][a-z0-9_-]*(?:[./][a-z0-9_-]+)*$/;

const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;

export function sumOf(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < block; at += 1) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0);
  return sum;
}

/** The head of an entry. */
export function tarHeader(name: string, size: number): Buffer {
  if (!plainName.test(name)) throw new Error(`${name} is no name of an entry`);
  return headerOf(name, size, '0');
}

/** The same for files and directories (`objects/`) of a repository, whose names are git's. */
export const snapshotEntry = (name: string, size: number): Buffer =>
  headerOf(name, size, name.endsWith('/') ? '5' : '0');

function headerOf(name: string, size: number, kind: '0' | '5'): Buffer {
  if (name.length > 99) throw new Error(`${name} is no name of an entry`);
  if (size > largestEntry) throw new ArchiveError(`${name} is larger than an archive can hold`);
  const header = Buffer.alloc(block);
  header.write(name, 0);
  header.write(octal(kind === '5' ? 0o700 : 0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  header.write(octal(size, 11), 124);
  header.write(octal(0, 11), 136);
  header.write(kind, 156);
  header.write('ustar\x0000', 257);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** What fills an entry up to whole blocks. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);
/** What ends an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * block);

export interface TarEntry {
  readonly name: string;
  readonly size: number;
  /** What is not read is skipped. */
  readonly body: AsyncIterable<Buffer>;
}

interface Bytes {
  /** The next bytes, fewer only at the end. */
  exactly(count: number): Promise<Buffer>;
  /** An entry of so many bytes for whoever reads it; what they leave is skipped, and what fills it up. */
  entry(name: string, size: number): AsyncGenerator<TarEntry>;
}

export function bytesOf(source: AsyncIterable<Buffer>): Bytes {
  const iterator = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  async function some(most: number): Promise<Buffer> {
    if (rest.length === 0) {
      const step = await iterator.next();
      if (step.done) return Buffer.alloc(0);
      rest = step.value;
    }
    const taken = rest.subarray(0, most);
    rest = rest.subarray(taken.length);
    return taken;
  }
  async function exactly(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0; ) {
      const part = await some(missing);
      if (part.length === 0) break;
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
  async function* entry(name: string, size: number): AsyncGenerator<TarEntry> {
    let left = size;
    async function* body(): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await some(left);
        if (part.length === 0) throw new ArchiveError('The archive ends too early');
        left -= part.length;
        yield part;
      }
    }
    yield { name, size, body: body() };
    for await (const _ of body()) {
      // Skipped: the next entry begins behind it.
    }
    await exactly(tarPadding(size).length);
  }
  return { exactly, entry };
}

function entryOf(header: Buffer): { name: string; size: number } {
  const field = (start: number, length: number) => {
    const text = header.toString('latin1', start, start + length);
    const end = text.indexOf('\0');
    return end === -1 ? text : text.slice(0, end);
  };
  if (Number.parseInt(field(148, 8).trim(), 8) !== sumOf(header)) throw new ArchiveError('The archive is damaged');
  const kind = header[156];
  const name = field(0, 100);
  if (kind !== 0x30 && kind !== 0) throw new ArchiveError('The archive holds something else than regular files');
  if (field(345, 155) !== '' || !plainName.test(name))
    throw new ArchiveError('The archive holds a name that is not allowed');
  const digits = field(124, 12).trim();
  if (!/^[0-7]{1,11}$/.test(digits)) throw new ArchiveError('The archive is damaged');
  return { name, size: Number.parseInt(digits, 8) };
}

/** The entries of a tar file, one after the other. */
export async function* readTar(source: AsyncIterable<Buffer>, maximumEntries = 100): AsyncGenerator<TarEntry> {
  const bytes = bytesOf(source);
  const seen = new Set<string>();
  for (;;) {
    const header = await bytes.exactly(block);
    if (header.length < block) throw new ArchiveError('The archive ends too early');
    if (header.every((byte) => byte === 0)) return;
    const { name, size } = entryOf(header);
    if (seen.has(name)) throw new ArchiveError(`The archive holds ${name} twice`);
    seen.add(name);
    if (seen.size > maximumEntries) throw new ArchiveError(`The archive holds more than ${maximumEntries} files`);
    yield* bytes.entry(name, size);
  }
}

async function* inTime(stream: Readable, seconds: number): AsyncGenerator<Buffer> {
  const chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const late = `Unpacking the archive took longer than ${seconds} seconds (decompress_archive_file_timeout)`;
  for (let left = seconds * 1_000; ; ) {
    const began = performance.now();
    const wait = Math.min(Math.max(left, 0), 2 ** 31 - 1);
    const timer = seconds > 0 && setTimeout(() => stream.destroy(new ArchiveError(late)), wait);
    const step = await chunks.next().finally(() => timer && clearTimeout(timer));
    if (step.done) return;
    left -= performance.now() - began;
    yield step.value;
  }
}

/**
 * Unpacked bytes, up to a limit, and for so many seconds if any are given. What whoever reads does with the bytes takes
 * none of that time.
 */
export async function* unpacked(
  source: Readable,
  maximum: number,
  limitName: string,
  seconds = 0,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const running = pipeline(source, gunzip).catch((error: unknown) => {
    gunzip.destroy(error instanceof Error ? error : new Error(String(error)));
  });
  let total = 0;
  try {
    for await (const chunk of inTime(gunzip, seconds)) {
      total += chunk.length;
      if (total > maximum)
        throw new ArchiveError(`The unpacked archive is larger than ${maximum} bytes (${limitName})`);
      yield chunk;
    }
  } catch (error) {
    const { code } = error as { code?: string };
    throw code?.startsWith('Z_') ? new ArchiveError('The file is no archive of a project, or it is damaged') : error;
  } finally {
    gunzip.destroy();
    source.destroy();
    await running;
  }
}

/** The first bytes of a stream, and all of it. */
export async function beginningOf(
  source: AsyncGenerator<Buffer>,
  count: number,
): Promise<{ readonly begin: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const parts: Buffer[] = [];
  for (let seen = 0; seen < count; ) {
    const step = await source.next();
    if (step.done) break;
    parts.push(step.value);
    seen += step.value.length;
  }
  const begin = Buffer.concat(parts);
  async function* all(): AsyncGenerator<Buffer> {
    if (begin.length > 0) yield begin;
    yield* source;
  }
  return { begin: begin.subarray(0, count), all: all() };
}
