/** PUT /jobs/:id and PATCH /jobs/:id/trace: how a runner says how the job goes. */
import { crc32 } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { readAll, readInto } from '../../../kernel/http/params/body.ts';
import { Bool, Int, OneOf, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { headerPrefix } from '../../../kernel/names.ts';
import type { CiDependencies } from '../deps.ts';
import { finishJob } from '../jobs/finish.ts';
import { executingStatuses } from '../scheduling/job-states.ts';
import { logEnd, storeFirstPiece, storePiece } from '../traces/pieces.ts';
import { appendTrace, resetTrace } from '../traces/traces.queries.ts';
import { jobByToken, jobIsOver, jobTokenOf, runningJob } from './job-access.ts';
import { failureReasons } from './payload.ts';
import { InfoParam } from './requests.routes.ts';
import { markDebugTrace, touchJob } from './updates.queries.ts';

/** Bytes of one piece of a log. */
const maxTraceChunkBytes = 4 * 1024 * 1024;
/** Bytes from which on a piece is read into memory that is used again. */
const longPieceBytes = 1024 * 1024;
/** Bytes of a first piece that is stored with one statement. */
const shortPieceBytes = 64 * 1024;
/** Characters of the end of a log that comes with the end of the job. */
const mostLastPiece = Math.ceil(shortPieceBytes / 3) * 4;
/** Seconds between two pieces of a log: also how soon a runner hears that its job was canceled. */
const traceUpdateSeconds = 1;

const knownReasons: ReadonlySet<string> = new Set(failureReasons);

interface Piece {
  readonly start: number;
  readonly data: Buffer;
}

/** The end of the log in a request that ends the job; null where there is none. */
function lastPieceOf(given: { start: number; data: string } | undefined): Piece | null {
  if (!given || given.data === '') return null;
  const data = Buffer.from(given.data, 'base64');
  return { start: given.start, data };
}

/** A runner's log, with its last piece, is what it says it is; the checksum is of all its bytes. */
function traceMatches(
  job: Pick<Job, 'trace_size' | 'trace_crc32'>,
  piece: Piece | null,
  output: { checksum?: string; bytesize?: number } | undefined,
): boolean {
  if (piece && piece.start !== job.trace_size) return false;
  if (!output) return true;
  if (output.bytesize !== undefined && output.bytesize !== job.trace_size + (piece?.data.length ?? 0)) return false;
  const expected = /^crc32:([0-9a-f]{1,8})$/.exec(output.checksum ?? '')?.[1];
  if (expected === undefined) return true;
  return Number.parseInt(expected, 16) === (piece ? crc32(piece.data, job.trace_crc32) : job.trace_crc32);
}

/** Whether a body is that short, and within the limit of a log in megabytes. */
function isShort(length: string | undefined, limit: number): boolean {
  const bytes = Number(length);
  return bytes > 0 && bytes <= Math.min(shortPieceBytes, limit * 1024 * 1024);
}

const rangeOf = (size: number) => `0-${size}`;

export function updateRoutes(deps: CiDependencies): Route[] {
  const { db } = deps;
  /** Room for a long piece, used again: memory outside of the heap has the whole heap looked through when it is let go. */
  let room: Buffer | null = null;

  /** Reads a piece and gives it to `use`, which must not keep it. */
  async function withPiece<T>(request: FastifyRequest, use: (data: Buffer) => Promise<T>): Promise<T> {
    const { raw, headers } = request;
    const name = 'max_trace_chunk_bytes';
    if (Number(headers['content-length']) < longPieceBytes)
      return await use(await readAll(raw, name, maxTraceChunkBytes));
    const own = room ?? Buffer.allocUnsafeSlow(maxTraceChunkBytes);
    room = null;
    try {
      return await use(await readInto(raw, name, own));
    } finally {
      room = own;
    }
  }

  const statusHeaders = (status: string) => ({
    'Job-Status': status,
    [`${headerPrefix}Trace-Update-Interval`]: String(traceUpdateSeconds),
  });

  /** The log is asked for again from its start. */
  async function sendAgain({ id, status }: Job): Promise<HttpError> {
    await transaction(db, async (tx) => resetTrace(tx, id));
    return new HttpError(412, { message: '412 Precondition Failed' }, statusHeaders(status));
  }

  const update = route({
    method: 'PUT',
    path: '/jobs/:id',
    summary: 'Update the state of a running job, as its runner',
    rate: 'runner_jobs_api',
    tag: 'Runner protocol',
    credentials: ['body'],
    access: { on: 'credential' },
    params: Type.Object({
      id: Int({ description: 'Id of the job' }),
      token: Optional(Str({ description: "The job's token" })),
      state: Optional(OneOf(['running', 'success', 'failed', 'pending'], { description: 'State of the job now' })),
      failure_reason: Optional(Str({ description: 'Why the job failed, in one word of the runner' })),
      exit_code: Optional(
        Int({ minimum: -2_147_483_648, maximum: 4_294_967_295, description: 'Exit code of the script' }),
      ),
      checksum: Optional(Str({ deprecated: true, description: 'Use `output`' })),
      output: Optional(
        Type.Object(
          {
            checksum: Optional(Str({ description: 'Checksum of the log; use `output`' })),
            bytesize: Optional(Int({ description: 'Bytes of the whole log' })),
          },
          { description: 'Checksum and size of the whole log' },
        ),
      ),
      last_piece: Optional(
        Type.Object(
          {
            start: Int({ minimum: 0, description: 'Bytes of the log that were sent before' }),
            data: Str({ maxLength: mostLastPiece, description: 'The bytes, in base64' }),
          },
          {
            description:
              'End of the log, with the end of the job: for runners whose jobs have the feature `last_piece`. 64 KiB at most',
          },
        ),
      ),
      info: InfoParam(),
    }),
    responses: { 200: Empty, 202: Empty },
    errors: [412],
    handler: async ({ params, request }) => {
      const token = jobTokenOf(request, params.token);
      const job = await jobByToken(db, params.id, token);
      if (!executingStatuses.has(job.status)) {
        // The same end told twice, because our answer was lost.
        if (job.status === params.state) return answer(200, undefined, statusHeaders(job.status));
        throw jobIsOver(job.status);
      }
      if (params.state !== 'success' && params.state !== 'failed') {
        await touchJob(db, job.id);
        return answer(200, undefined, statusHeaders(job.status));
      }
      const piece = lastPieceOf(params.last_piece);
      if (!traceMatches(job, piece, params.output)) throw await sendAgain(job);
      const limit = (await deps.settings.read()).ci_jobs_trace_size_limit;
      if (piece && piece.start + piece.data.length > limit * 1024 * 1024) return await overflow(job, limit);
      const log = piece ? await logEnd(deps, job, piece, token ?? '') : null;
      if (log === false) throw await sendAgain(job);
      const reason = params.failure_reason ?? 'unknown_failure';
      const ended = await transaction(db, async (tx) =>
        finishJob(
          deps,
          tx,
          { jobId: job.id, pipelineId: job.pipeline_id, known: job },
          {
            event: params.state === 'success' ? 'succeed' : 'drop',
            failureReason: knownReasons.has(reason) ? reason : 'unknown_failure',
            // Windows tells its codes unsigned: kept in 32 bits, as programs see them.
            exitCode: params.exit_code === undefined ? null : params.exit_code | 0,
            ...(log ? { log } : {}),
          },
        ),
      );
      if (ended) return answer(200, undefined, statusHeaders(ended.status));
      // Ended by somebody else meanwhile, or its log grew: nobody knows of the object.
      if (log && 'objectKey' in log.stored) await deps.objects.remove(log.stored.objectKey);
      const now = log ? await jobByToken(db, job.id, token) : job;
      if (log && executingStatuses.has(now.status)) throw await sendAgain(now);
      return answer(200, undefined, statusHeaders(now.status));
    },
  });

  /** The job has said more than there is room for. What it said so far is kept. */
  async function overflow(job: Job, limit: number): Promise<never> {
    const place = { jobId: job.id, pipelineId: job.pipeline_id };
    await transaction(db, async (tx) => {
      const last = Buffer.from(
        `\nThe log is longer than ci_jobs_trace_size_limit, ${limit} MB: the job was stopped.\n`,
      );
      const start = job.trace_size;
      await appendTrace(tx, { jobId: job.id, start, data: last, crc32: crc32(last, job.trace_crc32) });
      await finishJob(deps, tx, place, { event: 'drop', failureReason: 'trace_size_exceeded' });
    });
    throw jobIsOver('failed');
  }

  const trace = route({
    method: 'PATCH',
    path: '/jobs/:id/trace',
    summary: 'Append to the log of a running job, as its runner',
    rate: 'runner_jobs_patch_trace_api',
    tag: 'Runner protocol',
    credentials: ['body'],
    access: { on: 'credential' },
    rawBody: 'text/plain',
    params: Type.Object({
      id: Int({ description: 'Id of the job' }),
      token: Optional(Str({ description: "The job's token; also as the header `JOB-TOKEN`" })),
      debug_trace: Optional(Bool({ description: 'Whether the job runs with debug logging' })),
    }),
    responses: { 202: Empty },
    errors: [416],
    handler: async ({ params, request }) => {
      const token = jobTokenOf(request, params.token) ?? '';
      const range = /^(?:bytes )?(\d{1,15})-(\d{1,15})/.exec(request.headers['content-range'] ?? '');
      const start = Number(range?.[1]);
      const limit = (await deps.settings.read()).ci_jobs_trace_size_limit;
      // For most jobs all of the log. Read before it is known whose it is, and therefore short.
      const short =
        start === 0 && token !== '' && !params.debug_trace && isShort(request.headers['content-length'], limit);
      const first = short ? await readAll(request.raw, 'max_trace_chunk_bytes', shortPieceBytes) : null;
      const begun = first && (await storeFirstPiece(db, { jobId: params.id, data: first }, token));
      if (first && begun) return answer(202, undefined, { ...statusHeaders(begun), Range: rangeOf(first.length) });
      const job = await runningJob(db, params.id, token);
      if (!range) throw new HttpError(400, { error: 'Missing header Content-Range' });
      const headers = (size: number) => ({ ...statusHeaders(job.status), Range: rangeOf(size) });
      const outOfPlace = (size: number) => new HttpError(416, { message: '416 Range Not Satisfiable' }, headers(size));
      // What is stored says with it that the runner is there; so does what is not.
      if (start !== job.trace_size) {
        await touchJob(db, job.id);
        throw outOfPlace(job.trace_size);
      }
      // Before the first line that was written so: nobody reads it in between.
      if (params.debug_trace && !job.debug_trace) await markDebugTrace(db, job.id);
      const store = async (data: Buffer) => {
        if (data.length === 0) {
          await touchJob(db, job.id);
          return answer(202, undefined, headers(job.trace_size));
        }
        if (start + data.length > limit * 1024 * 1024) return await overflow(job, limit);
        // Of what the runner sent: it compares.
        const checksum = crc32(data, job.trace_crc32);
        const stored = await storePiece(deps, { jobId: job.id, start, data, crc32: checksum }, token);
        // Two pieces at once: the other one was first.
        if (!stored) throw outOfPlace((await runningJob(db, job.id, token)).trace_size);
        return answer(202, undefined, headers(start + data.length));
      };
      return await (first ? store(first) : withPiece(request, store));
    },
  });

  return [update, trace];
}
