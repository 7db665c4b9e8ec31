/** A job that a server gave us: its log goes there while it runs, its result at the end, its cancellation comes back. */
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CacheStore } from './cache.ts';
import type { ArtifactUpload, JobStatus, JobUpdate, RunnerClient } from './client.ts';
import { JobFailure, messageOf } from './errors.ts';
import { readText } from './http.ts';
import { type JobOptions, type JobServices, runJob } from './job.ts';
import type { JobDependency, JobPayload, JobResult } from './protocol.ts';
import type { ReleaseRequest } from './release.ts';
import { secretsOf } from './secrets.ts';
import { createMasker } from './trace/masker.ts';
import { createTrace, type Trace } from './trace/trace.ts';

/** How often the server is asked whether the job is still wanted, while there is no output to send, in milliseconds. */
export const TOUCH_INTERVAL = 5000;
const FINAL_TRIES = 10;
const UPLOAD_TRIES = 4;
/** Bytes of a log that go with the end of its job, where the server takes them. */
const LAST_PIECE = 64 * 1024;

export type ServeOptions = Omit<JobOptions, 'services' | 'output' | 'cancel'> & {
  client: RunnerClient;
  outputLimit?: number | undefined;
  touchMilliseconds: number;
  /** Once aborted, unreachable servers are given up on quickly. */
  hurry: AbortSignal;
  /** Called when nothing of the job is left on this machine, before its end is told. */
  left?: () => void;
};

/** Runs the job and reports it. Resolves with the result; 'gone' when the server no longer wanted to know. */
export async function serveJob(options: ServeOptions): Promise<JobResult | 'gone'> {
  const { job, client, touchMilliseconds } = options;
  const cancel = new AbortController();
  const end = new AbortController();
  let gone = false;
  let heard = performance.now();
  const onStatus = (status: JobStatus) => {
    heard = performance.now();
    if (status === 'canceling') cancel.abort();
    if (status !== 'gone') return;
    gone = true;
    end.abort(new JobFailure('job_canceled', 'canceled'));
  };
  const masker = createMasker(secretsOf(job), job.features?.token_mask_prefixes ?? []);
  const limit = options.outputLimit;
  const trace = createTrace({ client, job, masker, onStatus, ...(limit === undefined ? {} : { limit }) });
  const touch = async () => {
    if (performance.now() - heard < touchMilliseconds) return;
    heard = performance.now();
    const answer = await client.updateJob(job, { state: 'running' }).catch(() => undefined);
    if (answer && answer.kind !== 'retry') onStatus(answer.kind === 'gone' ? 'gone' : answer.status);
  };
  const toucher = setInterval(() => void touch(), Math.min(1000, touchMilliseconds / 2));
  try {
    const result = await runJob({
      ...options,
      services: servicesFor(job, client),
      caches: job.features?.cache_store ? cachesOf(job, client) : undefined,
      output: trace.write,
      abort: AbortSignal.any([options.abort, end.signal]),
      cancel: cancel.signal,
    });
    options.left?.();
    if (gone) return 'gone';
    trace.close();
    return (await report(options, trace, result)) ? result : 'gone';
  } finally {
    clearInterval(toucher);
  }
}

async function report({ job, client, hurry }: ServeOptions, trace: Trace, result: JobResult): Promise<boolean> {
  let tries = 0;
  const patient = () => ++tries < FINAL_TRIES && !hurry.aborted;
  for (;;) {
    const piece = job.features?.last_piece ? await trace.rest(LAST_PIECE) : null;
    if (!piece) await trace.flush(patient);
    const checksum = trace.checksum();
    const update: JobUpdate = { state: result.state, checksum: checksum.checksum, output: checksum };
    if (piece) update.last_piece = { start: piece.start, data: piece.data.toString('base64') };
    if (result.state === 'failed') {
      update.failure_reason = reportedReason(job, result.reason);
      if (result.exitCode !== undefined) update.exit_code = result.exitCode;
    }
    const answer = await client.updateJob(job, update).catch(() => ({ kind: 'retry' as const, after: undefined }));
    if (answer.kind === 'done') return true;
    if (answer.kind === 'gone' || !patient()) return false;
    if (answer.kind === 'resend') trace.rewind();
    else if (answer.kind === 'accepted') await sleep(Math.min(answer.interval ?? 1000, 5000));
    else if (answer.kind === 'retry')
      await sleep(answer.after ?? Math.min(200 * 2 ** tries, 30_000), undefined, { signal: hurry }).catch(
        () => undefined,
      );
  }
}

const ALWAYS_KNOWN = ['script_failure', 'runner_system_failure', 'job_execution_timeout'];

function reportedReason(job: JobPayload, reason: string): string {
  const known = ALWAYS_KNOWN.includes(reason) || job.features?.failure_reasons?.includes(reason);
  return known ? reason : 'script_failure';
}

/** Artifacts over the protocol, with retries of what may pass. */
function servicesFor(job: JobPayload, client: RunnerClient): JobServices {
  async function upload(file: ArtifactUpload, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const answer = await client
        .uploadArtifact(job, file, signal)
        .catch((error: unknown) => ({ status: 0, said: messageOf(error), after: undefined }));
      if (answer.status === 201 || answer.status === 200) return;
      signal.throwIfAborted();
      const passing = answer.status === 0 || answer.status === 429 || answer.status >= 500;
      if (!passing || attempt >= UPLOAD_TRIES)
        throw new JobFailure('script_failure', `uploading ${file.name}: ${refusal(answer)}`, 1);
      await sleep(answer.after ?? 500 * 2 ** attempt, undefined, { signal });
    }
  }

  async function download(dependency: JobDependency, target: string, signal: AbortSignal): Promise<void> {
    const response = await client.downloadArtifact(dependency, signal);
    if (response.statusCode === 200) return await pipeline(response, createWriteStream(target, { mode: 0o600 }));
    await readText(response, 4096);
    const message = `the server answered ${response.statusCode}`;
    if ((response.statusCode ?? 500) < 500 && response.statusCode !== 429)
      throw new JobFailure('runner_system_failure', message);
    throw new Error(message);
  }

  async function release(request: ReleaseRequest, signal: AbortSignal): Promise<string> {
    const { status, said } = await client.createRelease(job, request, signal);
    if (status !== 201)
      throw new JobFailure('script_failure', `the release was refused: ${status} ${reasonIn(said)}`, 1);
    const made = JSON.parse(said) as { tag_name?: string; _links?: { self?: string } };
    return made._links?.self ?? made.tag_name ?? '';
  }

  return { upload, download, release };
}

/** Caches over the protocol. One that cannot be had or kept costs time, not the job: nothing is tried twice. */
function cachesOf(job: JobPayload, client: RunnerClient): CacheStore {
  return {
    async restore(key, file, signal) {
      const response = await client.downloadCache(job, key, signal);
      if (response.statusCode === 200) {
        await pipeline(response, createWriteStream(file, { mode: 0o600 }));
        return true;
      }
      await readText(response, 4096);
      if (response.statusCode === 404) return false;
      throw new Error(`the server answered ${response.statusCode}`);
    },
    async save(key, file, signal) {
      const answer = await client.uploadCache(job, { key, file }, signal);
      if (answer.status !== 204) throw new Error(refusal(answer));
    },
  };
}

function reasonIn(said: string): string {
  try {
    const { message, error } = JSON.parse(said) as { message?: unknown; error?: unknown };
    const reason = message ?? error;
    return typeof reason === 'string' ? reason : JSON.stringify(reason ?? said).slice(0, 300);
  } catch {
    return said.slice(0, 300);
  }
}

function refusal({ status, said }: { status: number; said: string }): string {
  if (status === 413) return `it is larger than the server allows: ${reasonIn(said)}`;
  return status === 0 ? said : `the server answered ${status} ${reasonIn(said)}`;
}
