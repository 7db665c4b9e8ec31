/** Logs of jobs that have ended: moved to the object store, and read on the way for coverage and for where they were cut. */
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { type FactConsumer, jobFinished, on } from '../../../kernel/events/index.ts';
import { defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { CiDependencies } from '../deps.ts';
import { finishJobTask, longLogBytes } from '../jobs/finish.ts';
import { findJobById } from '../jobs/jobs.queries.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { completedStatuses } from '../scheduling/job-states.ts';
import { type CoverageScanner, coverageScanner } from './coverage.ts';
import { cutScanner } from './cut.ts';
import { traceBytes } from './trace-stream.ts';
import { archivedTrace, refreshPipelineCoverage, setCoverage } from './traces.queries.ts';

export interface TraceArchive {
  /** Takes the short logs with the facts of the ends of their jobs. */
  readonly consumer: FactConsumer;
  /** Takes the others, each in its own time. */
  readonly task: Task;
}

export function traceArchive(deps: Pick<CiDependencies, 'db' | 'objects' | 'announce'>): TraceArchive {
  const { db } = deps;

  /** The bytes of a log, shown to the scanner on their way. */
  async function* scanned(
    job: Job,
    scanner: CoverageScanner | null,
    cut: ReturnType<typeof cutScanner>,
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const decoder = new StringDecoder('utf8');
    for await (const data of traceBytes(deps, job.id, signal, { end: job.trace_size })) {
      scanner?.push(decoder.write(data));
      cut.push(data);
      yield data;
    }
    signal.throwIfAborted();
  }

  /** Moves the log of a job that has ended to the object store and reads its coverage; nothing for a log that is longer than `most`. */
  async function archive(id: number, signal: AbortSignal, most = Number.POSITIVE_INFINITY): Promise<void> {
    const job = await findJobById(db, id);
    if (!job || !completedStatuses.has(job.status) || job.trace_size > most) return;
    if (job.trace_object_key !== null || job.erased_at !== null || job.trace_size === 0) return;
    const { coverage } = job.plan as unknown as JobPlan;
    const scanner = coverage === null ? null : coverageScanner(coverage);
    const cut = cutScanner();
    const log = scanned(job, scanner, cut, signal);
    const source = job.trace_size > longLogBytes ? Readable.from(log) : Buffer.concat(await Array.fromAsync(log));
    const object = await deps.objects.put(source, { signal });
    const value = scanner?.result() ?? null;
    const stored = { size: object.size, objectKey: object.key, cutAt: cut.result() };
    const kept =
      object.size === job.trace_size &&
      (value === null
        ? await archivedTrace(db, id, stored)
        : await transaction(db, async (tx) => {
            if (!(await archivedTrace(tx, id, stored))) return false;
            await setCoverage(tx, id, value);
            await refreshPipelineCoverage(tx, job.pipeline_id);
            await deps.announce(tx, `pipeline:${job.pipeline_id}`);
            return true;
          }));
    if (!kept) await deps.objects.remove(object.key);
  }

  return {
    consumer: {
      name: 'ci.logs',
      handlers: [
        on(
          jobFinished,
          ({ payload: { job_id: id } }, { signal }) => archive(id, signal, longLogBytes),
          ({ payload: { logged } }) => logged !== false,
        ),
      ],
    },
    task: defineTask(
      finishJobTask,
      Type.Object({ job_id: Type.Integer() }),
      ({ job_id: id }, { signal }) => archive(id, signal),
      { timeout: 10 * 60_000 },
    ),
  };
}
