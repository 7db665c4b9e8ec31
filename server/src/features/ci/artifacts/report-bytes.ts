/** The content of a report that a job has left. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { ObjectStore } from '../../../kernel/objects/index.ts';

const gunzipped = promisify(gunzip);

/** A report as runners send it or unpacked; null when it is gone, broken, or larger than it may be. */
export async function reportBytes(
  objects: Pick<ObjectStore, 'get' | 'exists'>,
  key: string,
  maxBytes: number,
): Promise<Buffer | null> {
  if (!(await objects.exists(key))) return null;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of objects.get(key) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return await gunzipped(bytes, { maxOutputLength: maxBytes }).catch(() => null);
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
