/** One kept answer on disk: its bytes, then a trailer that tells whether they are all there and unharmed. */
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';

const magic = Buffer.from('MRANSW01');
/** Magic, length, checksum, and the beginning of the digest that the file is named after. */
const trailerBytes = 32;
const readBytes = 512 * 1024;

function trailer(length: number, checksum: number, digest: string): Buffer {
  const out = Buffer.alloc(trailerBytes);
  magic.copy(out, 0);
  out.writeBigUInt64BE(BigInt(length), 8);
  out.writeUInt32BE(checksum, 16);
  Buffer.from(digest.slice(0, 24), 'hex').copy(out, 20);
  return out;
}

async function stampOf(handle: FileHandle): Promise<{ stamp: string; size: number; used: number }> {
  const info = await handle.stat();
  return { stamp: `${info.ino}:${info.size}:${info.mtimeMs}:${info.ctimeMs}`, size: info.size, used: info.mtimeMs };
}

/** Some bytes from a position on, up to another. */
async function piece(handle: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(readBytes, to - from));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, from);
  if (bytesRead === 0) throw new Error('a kept answer ended early');
  return buffer.subarray(0, bytesRead);
}

async function isWhole(handle: FileHandle, size: number, digest: string): Promise<boolean> {
  const length = size - trailerBytes;
  if (length < 0) return false;
  const end = Buffer.alloc(trailerBytes);
  await handle.read(end, 0, trailerBytes, length);
  let checksum = 0;
  if (!end.subarray(0, 16).equals(trailer(length, 0, digest).subarray(0, 16))) return false;
  for (let at = 0; at < length; ) {
    const data = await piece(handle, at, length);
    checksum = crc32(data, checksum);
    at += data.length;
  }
  return end.equals(trailer(length, checksum, digest));
}

export interface OpenedEntry {
  readonly stamp: string;
  /** When it was last used or made, in milliseconds. */
  readonly used: number;
  stampNow(): Promise<string | null>;
  /** Its bytes; once. Closes the file. */
  stream(): Readable;
}

/**
 * Opens a kept answer; null when there is none. One that is not whole is removed. What looks as it did when it was
 * checked (`verified`) is not read twice.
 */
export async function openEntry(file: string, digest: string, verified?: string): Promise<OpenedEntry | null> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch {
    return null;
  }
  try {
    const { stamp, size, used } = await stampOf(handle);
    if (stamp !== verified && !(await isWhole(handle, size, digest))) {
      await handle.close();
      await unlink(file).catch(() => undefined);
      return null;
    }
    return {
      stamp,
      used,
      stampNow: async () => (await stampOf(handle).catch(() => null))?.stamp ?? null,
      // Empty ones are not written: they are small.
      stream: () => handle.createReadStream({ start: 0, end: size - trailerBytes - 1, highWaterMark: readBytes }),
    };
  } catch {
    await handle.close().catch(() => undefined);
    return null;
  }
}

export interface GrowingEntry {
  /** Bytes written. */
  readonly size: number;
  append(data: readonly Buffer[]): Promise<void>;
  /** Some of what was written, from a position on. */
  read(from: number): Promise<Buffer>;
  /** Gives it its name; answers its stamp, null where that fails. */
  publish(file: string): Promise<string | null>;
  /** Its name goes; what was written stays readable. */
  abandon(): Promise<void>;
  close(): Promise<void>;
}

/** Begins an entry under a temporary name. */
export async function writeEntry(temporary: string, digest: string): Promise<GrowingEntry> {
  const handle = await open(temporary, 'wx+', 0o600);
  let size = 0;
  let checksum = 0;
  return {
    get size() {
      return size;
    },
    async append(data) {
      const length = data.reduce((sum, each) => sum + each.length, 0);
      const { bytesWritten } = await handle.writev([...data], size);
      if (bytesWritten !== length) throw new Error('the disk took less than it was given');
      for (const each of data) checksum = crc32(each, checksum);
      size += length;
    },
    read: (from) => piece(handle, from, size),
    async publish(file) {
      try {
        const end = trailer(size, checksum, digest);
        const { bytesWritten } = await handle.write(end, 0, end.length, size);
        if (bytesWritten !== end.length) throw new Error('the disk took less than it was given');
        await rename(temporary, file);
        return (await stampOf(handle)).stamp;
      } catch {
        await unlink(temporary).catch(() => undefined);
        return null;
      }
    },
    abandon: () => unlink(temporary).catch(() => undefined),
    close: () => handle.close().catch(() => undefined),
  };
}
