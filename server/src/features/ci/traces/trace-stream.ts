/** A log as a stream: from the object store when it is archived, else from its chunks. */
import { Readable } from 'node:stream';
import type { Job } from '../../../kernel/db/rows.ts';
import { HttpError, notFound } from '../../../kernel/http/errors.ts';
import { type ByteRange, rangeOf } from '../../../kernel/http/ranges.ts';
import { type Streamed, streamed } from '../../../kernel/http/route.ts';
import { readObject } from '../artifacts/store.ts';
import type { CiDependencies } from '../deps.ts';
import { archivedAs, chunkStart, readChunks, type TraceChunk } from './traces.queries.ts';

/** Chunks read at once: what one slow reader holds in memory. */
const chunksAtOnce = 16;

export type TraceJob = Pick<Job, 'id' | 'trace_object_key'>;

/** The bytes of one chunk, without the first `skipped`. */
async function* chunkBytes(
  { objects }: Pick<CiDependencies, 'objects'>,
  { data, object_key: key, object_bytes: bytes }: TraceChunk,
  skipped: number,
): AsyncGenerator<Buffer> {
  if (data !== null) yield data.subarray(skipped);
  else if (key !== null && bytes !== null && skipped < bytes)
    yield* objects.get(key, { start: skipped, end: bytes - 1 }) as AsyncIterable<Buffer>;
}

const isGone = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** The bytes that have arrived, in order, from one of them on; `end` where no more will come than that. */
export async function* traceBytes(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  jobId: number,
  signal: AbortSignal,
  { from = 0, end = Number.POSITIVE_INFINITY }: { readonly from?: number; readonly end?: number } = {},
): AsyncGenerator<Buffer> {
  let next = from;
  let begin = from === 0 ? 0 : await chunkStart(deps.db, jobId, from);
  let gone: string | null = null;
  while (!signal.aborted) {
    const chunks = await readChunks(deps.db, jobId, begin, chunksAtOnce);
    if (chunks.length === 0) return;
    begin = -1;
    for (const chunk of chunks) {
      try {
        for await (const data of chunkBytes(deps, chunk, next - chunk.start_byte)) {
          next += data.length;
          yield data;
        }
      } catch (error) {
        // The log was moved, or a piece of it replaced, since this row was read: the rows of now say where it is.
        if (!isGone(error) || chunk.object_key === gone) throw error;
        gone = chunk.object_key;
        begin = await chunkStart(deps.db, jobId, next);
        break;
      }
    }
    if (next >= end) return;
    if (begin < 0) begin = next;
  }
}

/** What has arrived; when the log is moved to the object store meanwhile, its rest comes from there. */
async function* growing(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  jobId: number,
  signal: AbortSignal,
  from = 0,
): AsyncGenerator<Buffer> {
  let sent = from;
  for await (const data of traceBytes(deps, jobId, signal, { from })) {
    sent += data.length;
    yield data;
  }
  if (signal.aborted) return;
  // The chunks go in the transaction that names the object: whoever finds too few of them finds its name.
  const archived = await archivedAs(deps.db, jobId);
  if (archived === null || archived.size <= sent) return;
  yield* deps.objects.get(archived.key, { start: sent, end: archived.size - 1 }) as AsyncIterable<Buffer>;
}

export async function traceStream(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  job: TraceJob,
  signal: AbortSignal,
): Promise<Readable> {
  if (job.trace_object_key !== null) return await readObject(deps, job.trace_object_key);
  return Readable.from(growing(deps, job.id, signal), { objectMode: false });
}

async function* atMost(source: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const data of source) {
    yield data.subarray(0, left);
    left -= data.length;
    if (left <= 0) return;
  }
}

/** A part of the log. */
async function tracePart(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  job: TraceJob,
  { start, end }: ByteRange,
  signal: AbortSignal,
): Promise<Readable> {
  if (job.trace_object_key !== null) {
    if (!(await deps.objects.exists(job.trace_object_key))) throw notFound();
    return deps.objects.get(job.trace_object_key, { start, end });
  }
  return Readable.from(atMost(growing(deps, job.id, signal, start), end - start + 1), { objectMode: false });
}

/** The answer to a request for a log, or for the part of it that the header names. */
export function traceAnswer(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  job: TraceJob & Pick<Job, 'trace_size'>,
  header: string | undefined,
  signal: AbortSignal,
): Streamed {
  const type = 'text/plain; charset=utf-8';
  const headers = { 'Content-Disposition': 'inline', 'Accept-Ranges': 'bytes' };
  // The last bytes of a log without any are none: no error for pages that begin to follow it.
  const range = job.trace_size === 0 && header?.startsWith('bytes=-') ? null : rangeOf(header, job.trace_size);
  if (range === null) return streamed(() => traceStream(deps, job, signal), type, headers);
  if (range === 'outside')
    throw new HttpError(
      416,
      { message: `416 Range Not Satisfiable - the log has ${job.trace_size} bytes` },
      { 'Content-Range': `bytes */${job.trace_size}` },
    );
  const part = `bytes ${range.start}-${range.end}/${job.trace_size}`;
  return streamed(() => tracePart(deps, job, range, signal), type, { ...headers, 'Content-Range': part }, 206);
}
