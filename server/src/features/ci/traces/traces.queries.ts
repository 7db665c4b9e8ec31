/** Logs while they grow: chunks in order, their size and checksum on the job's row. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { announcing } from '../../../kernel/events/index.ts';

export interface TraceAppend {
  readonly jobId: number;
  /** Bytes stored before; nothing is written when it is no longer so. */
  readonly start: number;
  readonly data: Buffer;
  /** Checksum of the whole log with this data. */
  readonly crc32: number;
}

/** Longest row: it comes out of the database as text of twice the size, and is held in memory whole. */
const rowBytes = 256 * 1024;

/** The rows of a piece. */
const rowsOf = ({ start, data }: Pick<TraceAppend, 'start' | 'data'>) => sql`
  insert into job_trace_chunks (job_id, start_byte, data)
  select id, ${start}::bigint + row * ${rowBytes}::integer,
    substring(${data}::bytea from row * ${rowBytes}::integer + 1 for ${rowBytes}::integer)
  from grown, generate_series(0, ${Math.ceil(data.length / rowBytes) - 1}::integer) as row`;

/** Pages that follow the log hear that it grew. */
const announcingGrowth = announcing(sql`'job:' || id || ':trace'`);

/**
 * Adds bytes at the end of a log and announces them, in one statement; false when the log does not end at `start` any
 * more.
 */
export async function appendTrace(tx: Db, piece: TraceAppend): Promise<boolean> {
  const { jobId, start, data, crc32 } = piece;
  const result = await sql`
    with grown as (
      update jobs set trace_size = ${start + data.length}, trace_crc32 = ${crc32}, contacted_at = now()
      where id = ${jobId} and trace_size = ${start} returning id
    ), stored as (${rowsOf(piece)})
    select ${announcingGrowth} from grown
  `.execute(tx);
  return result.rows.length > 0;
}

/** The first piece of a log, if it is that of a running job with the token; its status, or undefined when it is not. */
export async function beginTrace(
  db: Db,
  piece: Omit<TraceAppend, 'start'> & { readonly tokenSha256: Buffer },
): Promise<string | undefined> {
  const { jobId, data, crc32, tokenSha256 } = piece;
  const result = await sql<{ status: string }>`
    with grown as (
      update jobs set trace_size = ${data.length}, trace_crc32 = ${crc32}, contacted_at = now()
      where id = ${jobId} and trace_size = 0 and token_sha256 = ${tokenSha256} and status in ('running', 'canceling')
      returning id, status
    ), stored as (${rowsOf({ start: 0, data })})
    select status, ${announcingGrowth} from grown
  `.execute(db);
  return result.rows[0]?.status;
}

/** Adds a piece that is an object to the end of a log and announces it; false when the log does not end at `start` any more. */
export async function appendObject(tx: Db, piece: TraceAppend, objectKey: string): Promise<boolean> {
  const { jobId, start, data, crc32 } = piece;
  const result = await sql`
    with grown as (
      update jobs set trace_size = ${start + data.length}, trace_crc32 = ${crc32}, contacted_at = now()
      where id = ${jobId} and trace_size = ${start} returning id
    ), stored as (
      insert into job_trace_chunks (job_id, start_byte, object_key, object_bytes)
      select id, ${start}::bigint, ${objectKey}, ${data.length}::integer from grown
    )
    select ${announcingGrowth} from grown
  `.execute(tx);
  return result.rows.length > 0;
}

/** A piece of a log that grows: a row of its bytes, or an object. */
export interface TraceChunk {
  readonly start_byte: number;
  readonly data: Buffer | null;
  readonly object_key: string | null;
  readonly object_bytes: number | null;
}

const columns = ['start_byte', 'data', 'object_key', 'object_bytes'] as const;

/** Chunks that begin this close to the first one are read with it. */
const readBytes = 1024 * 1024;

/** Some chunks from the one that begins at `from` on, at most `limit`; none at the end of the log. */
export async function readChunks(db: Db, jobId: number, from: number, limit: number): Promise<TraceChunk[]> {
  return await db
    .selectFrom('job_trace_chunks')
    .select(columns)
    .where('job_id', '=', jobId)
    .where('start_byte', '>=', from)
    .where('start_byte', '<', from + readBytes)
    .orderBy('start_byte')
    .limit(limit)
    .execute();
}

/** Where the chunk begins that holds a byte. */
export async function chunkStart(db: Db, jobId: number, byte: number): Promise<number> {
  const row = await db
    .selectFrom('job_trace_chunks')
    .select((eb) => eb.fn.max('start_byte').as('start'))
    .where('job_id', '=', jobId)
    .where('start_byte', '<=', byte)
    .executeTakeFirst();
  return row?.start == null ? byte : Number(row.start);
}

/** The last chunks of a log that hold its last `bytes` bytes, in order. */
export async function lastChunks(tx: Db, jobId: number, end: number, bytes: number): Promise<TraceChunk[]> {
  return await tx
    .selectFrom('job_trace_chunks')
    .select(columns)
    .where('job_id', '=', jobId)
    .where('start_byte', '>=', await chunkStart(tx, jobId, Math.max(0, end - bytes)))
    .orderBy('start_byte')
    .execute();
}

/** Puts other bytes of the same number, or an object of them, in the place of a chunk. */
export async function replaceChunk(
  tx: Db,
  jobId: number,
  start: number,
  by: { readonly data: Buffer } | { readonly object_key: string },
): Promise<void> {
  const chunk = tx.updateTable('job_trace_chunks').set(by);
  await chunk.where('job_id', '=', jobId).where('start_byte', '=', start).execute();
}

/** The end of a log that came with the end of its job: written with it, to `objectKey` where it is all of the log. */
export interface LogEnd {
  /** Bytes stored before. */
  readonly start: number;
  /** Bytes and checksum of the whole log. */
  readonly size: number;
  readonly crc32: number;
  readonly stored: { readonly data: Buffer } | { readonly objectKey: string; readonly cutAt: number | null };
}

/** Forgets a log that arrived damaged, so that the runner sends it again from the start. */
export async function resetTrace(tx: Db, jobId: number): Promise<void> {
  await tx.deleteFrom('job_trace_chunks').where('job_id', '=', jobId).execute();
  const empty = { trace_size: 0, trace_crc32: 0, contacted_at: sql<Date>`now()` };
  await tx.updateTable('jobs').set(empty).where('id', '=', jobId).execute();
}

/**
 * The log is in the object store from now on, cut there after so many bytes where its runner kept no more; in one statement,
 * which announces it. False when the job changed meanwhile (erased).
 */
export async function archivedTrace(
  db: Db,
  jobId: number,
  { size, objectKey, cutAt }: { readonly size: number; readonly objectKey: string; readonly cutAt: number | null },
): Promise<boolean> {
  const { rows } = await sql`
    with archived as (
      update jobs set trace_object_key = ${objectKey}, trace_cut_at = coalesce(${cutAt}::bigint, trace_cut_at)
      where id = ${jobId} and trace_size = ${size} and trace_object_key is null and erased_at is null returning id
    ), removed as (
      delete from job_trace_chunks where job_id in (select id from archived)
    )
    select ${announcing(sql`'job:' || id`)} from archived`.execute(db);
  return rows.length > 0;
}

/** Where a log is that was moved to the object store; null while it is in chunks, or gone. */
export async function archivedAs(db: Db, jobId: number): Promise<{ key: string; size: number } | null> {
  const row = await db
    .selectFrom('jobs')
    .select(['trace_object_key as key', 'trace_size as size'])
    .where('id', '=', jobId)
    .executeTakeFirst();
  return row && row.key !== null ? { key: row.key, size: row.size } : null;
}

/** Removes a log; its object is deleted by the sweep of objects. */
export async function deleteTrace(tx: Db, job: Pick<Job, 'id' | 'trace_object_key'>): Promise<void> {
  await tx.deleteFrom('job_trace_chunks').where('job_id', '=', job.id).execute();
  if (job.trace_object_key === null) return;
  await forgetObject(tx, job.trace_object_key);
}

/** An object that no row names any more. */
export async function forgetObject(tx: Db, objectKey: string): Promise<void> {
  await tx
    .insertInto('object_deletions')
    .values({ object_key: objectKey })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function setCoverage(tx: Db, jobId: number, coverage: string): Promise<void> {
  await tx.updateTable('jobs').set({ coverage }).where('id', '=', jobId).execute();
}

/** The average over the newest attempts of a pipeline. */
export async function refreshPipelineCoverage(tx: Db, pipelineId: number): Promise<void> {
  const average = tx
    .selectFrom('jobs')
    .select(sql<string | null>`round(avg(coverage), 2)`.as('coverage'))
    .where('pipeline_id', '=', pipelineId)
    .where('retried', '=', false);
  await tx.updateTable('pipelines').set({ coverage: average }).where('id', '=', pipelineId).execute();
}
