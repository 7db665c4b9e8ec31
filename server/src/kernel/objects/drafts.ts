/** Files in flight: whole, or not there. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Passes the bytes of a stream on, or fails. */
export type Step = (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

/** Writes a stream, through steps, to a new file that nobody else may read. Where that fails, nothing is left of it. */
export async function writeDraft(
  file: string,
  source: Readable | AsyncIterable<Buffer>,
  steps: readonly Step[] = [],
  signal?: AbortSignal,
): Promise<void> {
  const output = createWriteStream(file, { flags: 'wx', mode: 0o600 });
  try {
    // The types of the list know streams alone; the function takes iterables and steps as well.
    const all: unknown[] = [source, ...steps, output];
    await pipeline(all as NodeJS.ReadWriteStream[], signal ? { signal } : {});
  } catch (error) {
    // A step that fails ends the pipeline while the file may still be being opened: removed before, it would appear later.
    if (!output.closed) await new Promise<void>((resolve) => output.once('close', resolve));
    await rm(file, { force: true });
    throw error;
  }
}
