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
