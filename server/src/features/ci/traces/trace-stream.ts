/** A log as a stream: from the object store when it is archived, else from its chunks. */
import { Readable } from 'node:stream';
import type { Job } from '../../../kernel/db/rows.ts';
import { readObject } from '../artifacts/store.ts';
import type { CiDependencies } from '../deps.ts';
import { readChunks } from './traces.queries.ts';

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

export async function traceStream(
  deps: Pick<CiDependencies, 'db' | 'objects'>,
  job: TraceJob,
  signal: AbortSignal,
): Promise<Readable> {
  if (job.trace_object_key !== null) return await readObject(deps, job.trace_object_key);
  return Readable.from(traceBytes(deps, job.id, signal), { objectMode: false });
}
