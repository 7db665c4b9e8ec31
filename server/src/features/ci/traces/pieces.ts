/** Pieces of a log that grows: where one is stored, and how the job's token is hidden over the border of two. */
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import type { CiDependencies } from '../deps.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { cutScanner } from './cut.ts';
import { type TokenMask, tokenMask } from './token-mask.ts';
import {
  appendObject,
  appendTrace,
  beginTrace,
  type LogEnd,
  lastChunks,
  replaceChunk,
  type TraceAppend,
  type TraceChunk,
} from './traces.queries.ts';

type Deps = Pick<CiDependencies, 'db' | 'objects'>;

/**
 * From here on a piece is an object. The database writes what it is given into its log and into its table, and holds both in
 * its memory: for short pieces one commit costs less than a file, for long ones ten times as much processor time.
 */
const objectBytes = 1024 * 1024;

const putObject = async ({ objects }: Pick<Deps, 'objects'>, data: Buffer) => (await objects.put(data)).key;

/** The bytes of a chunk, from one of them on. */
async function bytesOf({ objects }: Pick<Deps, 'objects'>, chunk: TraceChunk, from = 0): Promise<Buffer> {
  const { data, object_key: key, object_bytes: bytes } = chunk;
  if (data !== null) return data.subarray(from);
  return await buffer(objects.get(key ?? '', { start: from, end: (bytes ?? 0) - 1 }));
}

/** Writes a chunk again whose bytes from one place on have changed. */
async function rewrite(deps: Deps, tx: Db, jobId: number, chunk: TraceChunk, from: number, to: Buffer): Promise<void> {
  const data = Buffer.from(await bytesOf(deps, chunk));
  to.copy(data, from);
  const by = chunk.object_key === null ? { data } : { object_key: await putObject(deps, data) };
  await replaceChunk(tx, jobId, chunk.start_byte, by);
}

/** Hides what began in the pieces before one and ends in it: these are written again where they held a part of it. */
async function hideAcross(deps: Deps, tx: Db, { jobId, start, data }: TraceAppend, mask: TokenMask): Promise<void> {
  const before = await Promise.all(
    (await lastChunks(tx, jobId, start, mask.reach)).map(async (chunk) => {
      const from = Math.max(0, start - mask.reach - chunk.start_byte);
      return { chunk, from, end: await bytesOf(deps, chunk, from) };
    }),
  );
  const whole = Buffer.concat([...before.map(({ end }) => end), data]);
  const first = mask.hide(whole);
  if (first < 0) return;
  let at = 0;
  for (const { chunk, from, end } of before) {
    const until = at + end.length;
    if (first < until) await rewrite(deps, tx, jobId, chunk, from, whole.subarray(at, until));
    at = until;
  }
  whole.copy(data, 0, at);
}

/**
 * Stores the first piece of a log, durably, with the job's token hidden. Answers the status of the job; undefined where no
 * running job has the token, or its log has begun.
 */
export async function storeFirstPiece(
  db: Db,
  { jobId, data }: Pick<TraceAppend, 'jobId' | 'data'>,
  token: string,
): Promise<string | undefined> {
  const hidden = Buffer.from(data);
  tokenMask(token).hide(hidden);
  // Of what the runner sent: it compares.
  return await beginTrace(db, { jobId, data: hidden, crc32: crc32(data), tokenSha256: tokenHash(token) });
}

/** Stores a piece, durably, with the job's token hidden; false when the log does not end at its start any more. */
export async function storePiece(deps: Deps, piece: TraceAppend, token: string): Promise<boolean> {
  const { db, objects } = deps;
  const append = async (handle: Db): Promise<boolean> => {
    if (piece.data.length < objectBytes) return await appendTrace(handle, piece);
    const key = await putObject(deps, piece.data);
    // Where this fails the row may be there all the same: only what is certainly nobody's goes.
    const stored = await appendObject(handle, piece, key);
    if (!stored) await objects.remove(key);
    return stored;
  };
  const mask = tokenMask(token);
  if (piece.start > 0 && mask.continuesIn(piece.data))
    return await transaction(db, async (tx) => {
      await hideAcross(deps, tx, piece, mask);
      return await append(tx);
    });
  mask.hide(piece.data);
  return await append(db);
}

/**
 * Makes the end of a log ready to be written with the end of its job, with the token hidden; false when the log does not end at
 * its start any more, null where it is stored already. Most logs come whole with it: those are objects at once, as all are in
 * the end.
 */
export async function logEnd(
  deps: Deps,
  job: Job,
  { start, data }: Pick<TraceAppend, 'start' | 'data'>,
  token: string,
): Promise<LogEnd | null | false> {
  const whole = { start, size: start + data.length, crc32: crc32(data, job.trace_crc32) };
  const mask = tokenMask(token);
  if (start > 0 && mask.continuesIn(data))
    return (await storePiece(deps, { jobId: job.id, start, data, crc32: whole.crc32 }, token)) ? null : false;
  mask.hide(data);
  // The coverage is read from logs when they are moved.
  if (start > 0 || (job.plan as unknown as JobPlan).coverage !== null) return { ...whole, stored: { data } };
  const cut = cutScanner();
  cut.push(data);
  return { ...whole, stored: { objectKey: await putObject(deps, data), cutAt: cut.result() } };
}
