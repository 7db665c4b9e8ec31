/** One object out of a bucket. Objects never change, so a connection that breaks is taken up where it ended. */
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { isMissing, ObjectStorageError, reasonOf, statusOf } from '../errors.ts';
import { missing } from '../store.ts';

/** Broken connections in a row without a byte. */
const mostFailures = 4;

interface Source {
  readonly Bucket: string;
  readonly Key: string;
}
type Range = { readonly start: number; readonly end: number };

async function* bytes(
  client: S3Client,
  source: Source,
  { start, end }: { readonly start: number; readonly end: number | null },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let next = start;
  let failures = 0;
  for (;;) {
    try {
      const range = next > 0 || end !== null ? { Range: `bytes=${next}-${end ?? ''}` } : {};
      const { Body } = await client.send(new GetObjectCommand({ ...source, ...range }), { abortSignal: signal });
      if (!(Body instanceof Readable)) throw new Error('the answer has no body');
      signal.addEventListener('abort', () => Body.destroy(), { once: true });
      for await (const chunk of Body as AsyncIterable<Buffer>) {
        next += chunk.length;
        failures = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      if (isMissing(error)) throw missing(source.Key);
      // Behind the end, as of a part of nothing.
      if (statusOf(error) === 416) return;
      failures += 1;
      if (signal.aborted || statusOf(error) !== undefined || failures >= mostFailures)
        throw new ObjectStorageError(`object ${source.Key} cannot be read: ${reasonOf(error)}`);
      await sleep(100 * 2 ** failures, undefined, { signal });
    }
  }
}

/** The object as a stream; nothing is asked before somebody reads, and destroying it ends the request. */
export function readObject(client: S3Client, source: Source, range?: Range): Readable {
  const stop = new AbortController();
  const chunks = bytes(client, source, { start: range?.start ?? 0, end: range?.end ?? null }, stop.signal);
  return new Readable({
    read() {
      chunks.next().then(
        ({ value, done }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      stop.abort();
      void chunks.return(undefined).catch(() => undefined);
      done(error);
    },
  });
}
