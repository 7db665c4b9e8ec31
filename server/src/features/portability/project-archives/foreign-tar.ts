/**
 * Tar files as GNU tar writes them of a folder, for archives that other products made: folders are skipped, long names
 * are read, and everything that is neither refused. Names are compared with what is expected, and never become paths.
 */
import { ArchiveError, block, bytesOf, sumOf, type TarEntry, tarPadding } from './tar.ts';

const longestName = 4096;
const text = new TextDecoder('utf-8', { fatal: true });

function field(header: Buffer, start: number, length: number): Buffer {
  const bytes = header.subarray(start, start + length);
  const end = bytes.indexOf(0);
  return end === -1 ? bytes : bytes.subarray(0, end);
}

function sizeOf(header: Buffer): number {
  const digits = field(header, 124, 12).toString('latin1').trim();
  if (!/^[0-7]{1,11}$/.test(digits)) throw new ArchiveError('The archive is damaged, or has a file of more than 8 GB');
  return Number.parseInt(digits, 8);
}

/** A name without `./` in front; refused where it could lead somewhere else. */
function plain(bytes: Buffer): string {
  let name: string;
  try {
    name = text.decode(bytes);
  } catch {
    throw new ArchiveError('The archive holds a name that is not allowed');
  }
  const parts = name
    .replace(/^(?:\.\/)+/, '')
    .replace(/\/$/, '')
    .split('/');
  const wrong = name.startsWith('/') || parts.some((part) => part === '..') || /[\p{Cc}\\]/u.test(name);
  if (wrong || name.length > longestName) throw new ArchiveError('The archive holds a name that is not allowed');
  return parts.join('/');
}

/** The path among the records of an extended header; null where it says nothing of it. */
function extendedPath(records: Buffer): Buffer | null {
  for (let at = 0; at < records.length; ) {
    const blank = records.indexOf(0x20, at);
    const length = blank === -1 ? 0 : Number(records.toString('latin1', at, blank));
    if (!Number.isInteger(length) || length < 5 || at + length > records.length)
      throw new ArchiveError('The archive is damaged');
    const record = records.subarray(blank + 1, at + length - 1);
    if (record.subarray(0, 5).toString('latin1') === 'path=') return record.subarray(5);
    at += length;
  }
  return null;
}

/** The files of a tar file, one after the other. */
export async function* readForeignTar(source: AsyncIterable<Buffer>, maximumEntries: number): AsyncGenerator<TarEntry> {
  const bytes = bytesOf(source);
  let told: Buffer | null = null;
  for (let count = 0; ; count += 1) {
    const header = await bytes.exactly(block);
    if (header.length < block) throw new ArchiveError('The archive ends too early');
    if (header.every((byte) => byte === 0)) return;
    if (count >= maximumEntries) throw new ArchiveError(`The archive holds more than ${maximumEntries} files`);
    if (Number.parseInt(field(header, 148, 8).toString('latin1').trim(), 8) !== sumOf(header))
      throw new ArchiveError('The archive is damaged');
    const size = sizeOf(header);
    const kind = String.fromCharCode(header[156] || 0x30);
    if (kind === 'L' || kind === 'x' || kind === 'g') {
      if (size > 16 * longestName) throw new ArchiveError('The archive holds a name that is not allowed');
      const content = await bytes.exactly(size);
      await bytes.exactly(tarPadding(size).length);
      if (kind === 'L') told = content.subarray(0, content.indexOf(0) === -1 ? size : content.indexOf(0));
      if (kind === 'x') told = extendedPath(content) ?? told;
      continue;
    }
    if (kind !== '0' && kind !== '5') throw new ArchiveError('The archive holds something else than regular files');
    // What GNU tar keeps where others keep the beginning of the name is times.
    const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? field(header, 345, 155) : Buffer.alloc(0);
    const written = field(header, 0, 100);
    const name = plain(told ?? (prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), written]) : written));
    told = null;
    const entry = bytes.entry(name, size);
    if (kind === '0') yield* entry;
    else for await (const _ of entry);
  }
}
