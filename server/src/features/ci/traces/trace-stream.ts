/** A log as a stream: from the object store when it is archived, else from its chunks. */
import { Readable } from 'node:stream';
import type { Job } from '../../../kernel/db/rows.ts';
import { readObject } from '../artifacts/store.ts';
import type { CiDependencies } from '../deps.ts';
import { archivedAs, readChunks } from './traces.queries.ts';

/** Chunks read at once: what one slow reader holds in memory. */
const chunksAtOnce = 16;

export type TraceJob = Pick<Job, 'id' | 'trace_object_key'>;

/** The bytes that have arrived, in order. */
export async function* traceBytes(
  deps: Pick<CiDependencies, 'db'>,
  jobId: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let next = 0;
  while (!signal.aborted) {
    const chunks = await readChunks(deps.db, jobId, next, chunksAtOnce);
    for (const chunk of chunks) {
      yield chunk.data;
      next = chunk.start_byte + chunk.data.length;
    }
    if (chunks.length < chunksAtOnce) return;
  }
}

/** What has arrived; when the log is moved to the object store meanwhile, its rest comes from there. */
async function* growing(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  jobId: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const data of traceBytes(deps, jobId, signal)) {
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
