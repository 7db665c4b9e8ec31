/** The content of a report that a job has left. */
import { promisify } from 'node:util';
import { crc32, createInflateRaw, gunzip } from 'node:zlib';
import type { ObjectStore } from '../../../kernel/objects/index.ts';

const gunzipped = promisify(gunzip);

/** A report as runners send it or unpacked; null when it is gone, broken, or larger than it may be. */
export async function reportBytes(
  objects: Pick<ObjectStore, 'get' | 'exists'>,
  key: string,
  maxBytes: number,
): Promise<Buffer | null> {
  if (!(await objects.exists(key))) return null;
  const bytes = await upTo(objects.get(key), maxBytes);
  if (bytes === null || !isGzip(bytes)) return bytes;
  return await gunzipped(bytes, { maxOutputLength: maxBytes }).catch(() => null);
}

const isGzip = (bytes: Buffer, at = 0): boolean => bytes[at] === 0x1f && bytes[at + 1] === 0x8b;

/** All of a stream; null where that is more than so many bytes. */
async function upTo(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Why the files of a report cannot be read. */
export class ReportError extends Error {}

interface ReportLimits {
  /** Bytes of one file, unpacked. */
  readonly file: number;
  /** Bytes of all of them. */
  readonly total: number;
}

/** To begin with one costs far more than to read twenty bytes, which an empty one takes. */
const mostFiles = 10_000;

/** Where the data of a member of a gzip begins, which stands behind the names and extras that its flags announce (RFC 1952). */
function dataOf(bytes: Buffer, begin: number): number {
  const flags = bytes[begin + 3] ?? 0;
  let at = begin + 10;
  if (flags & 4) at += 2 + (at + 2 <= bytes.length ? bytes.readUInt16LE(at) : 0);
  for (const text of [8, 16]) if (flags & text) at = bytes.indexOf(0, at) + 1 || bytes.length;
  return flags & 2 ? at + 2 : at;
}

/**
 * The files of a report that a job has left, one after the other, so that one is in memory at a time: runners pack each into a
 * gzip member of its own. Throws `ReportError`.
 */
export async function* reportFiles(
  objects: Pick<ObjectStore, 'get' | 'exists'>,
  key: string,
  limits: ReportLimits,
): AsyncGenerator<Buffer, void, undefined> {
  const tooLarge = (what: string, most: number) => new ReportError(`${what} larger than ${most} bytes`);
  if (!(await objects.exists(key))) throw new ReportError('the report is gone');
  const bytes = await upTo(objects.get(key), limits.total);
  if (bytes === null) throw tooLarge('all files of the report are', limits.total);
  if (!isGzip(bytes)) {
    if (bytes.length > limits.file) throw tooLarge('a file of the report is', limits.file);
    yield bytes;
    return;
  }
  let total = 0;
  let files = 0;
  for (let at = 0; at < bytes.length; ) {
    if (++files > mostFiles) throw new ReportError(`the report has more than ${mostFiles} files`);
    const member = isGzip(bytes, at) ? await inflated(bytes, dataOf(bytes, at), limits.file) : null;
    if (member === null) throw new ReportError('the report is damaged');
    if (member === 'too large') throw tooLarge('a file of the report is', limits.file);
    total += member.data.length;
    if (total > limits.total) throw tooLarge('all files of the report are', limits.total);
    yield member.data;
    at = member.end;
  }
}

/** What one member holds, and where the next one begins; null where it is damaged. */
async function inflated(bytes: Buffer, begin: number, maxBytes: number) {
  const engine = createInflateRaw();
  engine.end(bytes.subarray(begin));
  try {
    const data = await upTo(engine, maxBytes);
    if (data === null) return 'too large';
    const end = begin + engine.bytesWritten;
    const intact = end + 8 <= bytes.length && bytes.readUInt32LE(end) === crc32(data);
    return intact ? { data, end: end + 8 } : null;
  } catch {
    return null;
  }
}

/** The text of bytes: UTF-8, or as its first bytes or its XML declaration say; null where they are no text. */
export function textOf(bytes: Buffer): string | null {
  const [first, second] = bytes;
  const wide = first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  const declared = /^\s*<\?xml\s[^>]*encoding=["']([\w.:-]{1,40})["']/.exec(bytes.toString('latin1', 0, 200));
  try {
    return new TextDecoder(wide ?? declared?.[1] ?? 'utf-8').decode(bytes);
  } catch {
    return null;
  }
}

/** A report as text; null as for its bytes, or where these are no text. */
export async function reportText(
  objects: Pick<ObjectStore, 'get' | 'exists'>,
  key: string,
  maxBytes: number,
): Promise<string | null> {
  const bytes = await reportBytes(objects, key, maxBytes);
  return bytes && textOf(bytes);
}
