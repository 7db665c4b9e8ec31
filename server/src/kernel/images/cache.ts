/** Fetched images in a directory of this process: the least recently used ones make room for new ones. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface CachedImage {
  readonly type: string;
  readonly bytes: Buffer;
  /** Milliseconds since 1970; until then it is not asked for again. */
  readonly freshUntil: number;
}

export interface ImageCache {
  get(url: string): Promise<CachedImage | null>;
  put(url: string, image: CachedImage): Promise<void>;
}

/** A line of JSON, then the bytes. The URL is kept to be compared: a file of another address is never shown. */
interface Header {
  readonly url: string;
  readonly type: string;
  readonly freshUntil: number;
}

const nameOf = (url: string) => createHash('sha256').update(url).digest('hex');
const namePattern = /^[0-9a-f]{64}$/;

function parse(file: Buffer, url: string): CachedImage | null {
  const end = file.indexOf(10);
  if (end < 0) return null;
  try {
    const header = JSON.parse(file.subarray(0, end).toString('utf8')) as Header;
    if (header.url !== url) return null;
    return { type: header.type, freshUntil: header.freshUntil, bytes: file.subarray(end + 1) };
  } catch {
    return null;
  }
}

/** `maximumBytes` of 0 keeps nothing. The directory is read when it is first used. */
export function createImageCache(directory: string, maximumBytes: number): ImageCache {
  /** Sizes by name, the least recently used first. */
  let sizes: Promise<Map<string, number>> | undefined;
  let total = 0;

  async function load(): Promise<Map<string, number>> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const found: { name: string; size: number; usedAt: number }[] = [];
    for (const name of await readdir(directory)) {
      const file = path.join(directory, name);
      // A draft of a process that died.
      if (!namePattern.test(name)) await rm(file, { force: true, recursive: true });
      else {
        const { size, mtimeMs } = await stat(file);
        found.push({ name, size, usedAt: mtimeMs });
      }
    }
    found.sort((a, b) => a.usedAt - b.usedAt);
    total = found.reduce((sum, { size }) => sum + size, 0);
    return new Map(found.map(({ name, size }) => [name, size]));
  }

  async function forget(known: Map<string, number>, name: string): Promise<void> {
    total -= known.get(name) ?? 0;
    known.delete(name);
    await rm(path.join(directory, name), { force: true });
  }

  const opened = (): Promise<Map<string, number>> => {
    sizes ??= load();
    return sizes;
  };

  return {
    async get(url) {
      if (maximumBytes === 0) return null;
      const known = await opened();
      const name = nameOf(url);
      const size = known.get(name);
      if (size === undefined) return null;
      const file = await readFile(path.join(directory, name)).catch(() => null);
      const image = file === null ? null : parse(file, url);
      if (image === null) {
        await forget(known, name);
        return null;
      }
      known.delete(name);
      known.set(name, size);
      return image;
    },
    async put(url, { type, freshUntil, bytes }) {
      const header = Buffer.from(`${JSON.stringify({ url, type, freshUntil } satisfies Header)}\n`);
      const size = header.length + bytes.length;
      if (size > maximumBytes) return;
      const known = await opened();
      const name = nameOf(url);
      const draft = path.join(directory, `${name}.${randomBytes(6).toString('hex')}`);
      await writeFile(draft, Buffer.concat([header, bytes]), { mode: 0o600 });
      await rename(draft, path.join(directory, name));
      total += size - (known.get(name) ?? 0);
      known.delete(name);
      known.set(name, size);
      for (const oldest of [...known.keys()]) {
        if (total <= maximumBytes) break;
        await forget(known, oldest);
      }
    },
  };
}
