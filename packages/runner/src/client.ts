/** The runner's side of the protocol: one function per call, answers as unions that say what to do next. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { readText, retryAfter, send } from './http.ts';
import { type JobDependency, type JobPayload, runnerInfo } from './protocol.ts';
import type { SessionOffer } from './terminal/sessions.ts';

export type JobRequestAnswer =
  | { kind: 'job'; job: JobPayload; lastUpdate: string | undefined }
  | { kind: 'none'; lastUpdate: string | undefined }
  | { kind: 'forbidden' }
  | { kind: 'retry'; after: number | undefined; message: string };

/** What the server thinks of the job: `canceling` lets after_script run, `gone` ends everything at once. */
export type JobStatus = 'going' | 'canceling' | 'gone';

export type TraceAnswer =
  | { kind: 'stored'; next: number; interval: number | undefined; status: JobStatus }
  | { kind: 'gone' }
  | { kind: 'retry'; after: number | undefined };

export type UpdateAnswer =
  | { kind: 'done' | 'accepted' | 'resend'; interval: number | undefined; status: JobStatus }
  | { kind: 'gone' }
  | { kind: 'retry'; after: number | undefined };

export type JobUpdate = {
  state: 'running' | 'success' | 'failed';
  failure_reason?: string;
  exit_code?: number;
  checksum?: string;
  output?: { checksum: string; bytesize: number };
  /** The end of the log, in base64. */
  last_piece?: { start: number; data: string };
};

export type ArtifactUpload = {
  file: string;
  name: string;
  type: string;
  format: string;
  expireIn?: string | undefined;
};

export type ClientOptions = {
  url: string;
  token: string;
  systemId: string;
  executor: string;
  hasImages?: boolean;
  hasTerminals?: boolean;
};
export type RunnerClient = ReturnType<typeof createClient>;

// Long enough for a server that holds the request for 50 s.
const POLL_TIMEOUT = 75_000;

/** A client for one runner token. `url` is the server's root, without `/api/v4`. */
export function createClient({
  url,
  token,
  systemId,
  executor,
  hasImages = false,
  hasTerminals = false,
}: ClientOptions) {
  const base = `${url.replace(/\/+$/, '')}/api/v4`;
  const info = runnerInfo(executor, { hasImages, hasTerminals });

  const json = (method: string, path: string, header: Record<string, string>, body: unknown, more: object = {}) =>
    send({
      method,
      url: `${base}${path}`,
      headers: { 'Content-Type': 'application/json', Accept: 'application/json', 'User-Agent': userAgent, ...header },
      body: JSON.stringify(body),
      ...more,
    });

  async function requestJob(
    lastUpdate: string | undefined,
    signal: AbortSignal,
    session?: SessionOffer,
  ): Promise<JobRequestAnswer> {
    const body = { token, system_id: systemId, info, last_update: lastUpdate ?? '', ...(session ? { session } : {}) };
    const header = { 'RUNNER-TOKEN': token };
    const response = await json('POST', '/jobs/request', header, body, { signal, idleTimeout: POLL_TIMEOUT });
    const text = await readText(response);
    const update = single(response.headers['x-gitlab-last-update']) ?? lastUpdate;
    if (response.statusCode === 201) return { kind: 'job', job: JSON.parse(text) as JobPayload, lastUpdate: update };
    if (response.statusCode === 204) return { kind: 'none', lastUpdate: update };
    if (response.statusCode === 403 || response.statusCode === 401) return { kind: 'forbidden' };
    return { kind: 'retry', after: retryAfter(response), message: `the server answered ${response.statusCode}` };
  }

  async function updateJob(job: JobPayload, update: JobUpdate): Promise<UpdateAnswer> {
    const body = { token: job.token, info, ...update };
    const response = await json('PUT', `/jobs/${job.id}`, { 'JOB-TOKEN': job.token, 'RUNNER-TOKEN': token }, body);
    await readText(response, 4096);
    const common = { interval: traceInterval(response), status: jobStatus(response) };
    if (response.statusCode === 200) return { kind: 'done', ...common };
    if (response.statusCode === 202) return { kind: 'accepted', ...common };
    if (response.statusCode === 412) return { kind: 'resend', ...common };
    if (response.statusCode === 403 || response.statusCode === 404) return { kind: 'gone' };
    return { kind: 'retry', after: retryAfter(response) };
  }

  async function patchTrace(job: JobPayload, start: number, chunk: Buffer): Promise<TraceAnswer> {
    const response = await send({
      method: 'PATCH',
      url: `${base}/jobs/${job.id}/trace?debug_trace=false`,
      headers: {
        'Content-Type': 'text/plain',
        'Content-Range': `${start}-${start + chunk.length - 1}`,
        'JOB-TOKEN': job.token,
        'RUNNER-TOKEN': token,
        'User-Agent': userAgent,
      },
      body: chunk,
    });
    await readText(response, 4096);
    const common = { interval: traceInterval(response), status: jobStatus(response) };
    if (response.statusCode === 202) return { kind: 'stored', next: start + chunk.length, ...common };
    if (response.statusCode === 416) return { kind: 'stored', next: storedBytes(response) ?? start, ...common };
    if (response.statusCode === 403 || response.statusCode === 404) return { kind: 'gone' };
    return { kind: 'retry', after: retryAfter(response) };
  }

  /** Makes a release as the job. Resolves with the status code; network errors reject. */
  async function createRelease(job: JobPayload, request: object, signal: AbortSignal): Promise<Refusal> {
    const path = `/projects/${job.job_info.project_id}/releases`;
    const response = await json('POST', path, { 'JOB-TOKEN': job.token }, request, { signal });
    const status = response.statusCode ?? 0;
    return { status, said: await readText(response, 4 * 1024 * 1024), after: retryAfter(response) };
  }

  /** Uploads one file. Resolves with the status code; network errors reject. */
  async function uploadArtifact(job: JobPayload, upload: ArtifactUpload, signal?: AbortSignal): Promise<Refusal> {
    const query = new URLSearchParams({ artifact_format: upload.format, artifact_type: upload.type });
    if (upload.expireIn) query.set('expire_in', upload.expireIn);
    return await uploadFile(job, `/jobs/${job.id}/artifacts?${query}`, upload, signal);
  }

  /** Saves a cache of the job's project. */
  async function uploadCache(job: JobPayload, cache: { key: string; file: string }, signal: AbortSignal) {
    const query = new URLSearchParams({ key: cache.key });
    return await uploadFile(job, `/jobs/${job.id}/cache?${query}`, { file: cache.file, name: 'cache.zip' }, signal);
  }

  async function downloadCache(job: JobPayload, key: string, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(`${base}/jobs/${job.id}/cache?${new URLSearchParams({ key })}`);
    const headers = { 'JOB-TOKEN': job.token, 'RUNNER-TOKEN': token, 'User-Agent': userAgent };
    return await send({ method: 'GET', url, headers, signal });
  }

  async function uploadFile(
    job: JobPayload,
    path: string,
    upload: { file: string; name: string },
    signal?: AbortSignal,
  ): Promise<Refusal> {
    const boundary = `millrace-${crypto.randomUUID()}`;
    const name = upload.name.replace(/["\\\r\n]/g, '_');
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const tail = `\r\n--${boundary}--\r\n`;
    const { size } = await stat(upload.file);
    const response = await send({
      method: 'POST',
      url: `${base}${path}`,
      headers: {
        'Content-Type': `multipart/form-data; boundary=${boundary}`,
        'Content-Length': String(Buffer.byteLength(head) + size + Buffer.byteLength(tail)),
        'JOB-TOKEN': job.token,
        'RUNNER-TOKEN': token,
        'User-Agent': userAgent,
      },
      body: Readable.from(multipart(head, upload.file, tail)),
      signal,
      idleTimeout: 300_000,
    });
    const said = await readText(response, 4096);
    return { status: response.statusCode ?? 0, said, after: retryAfter(response) };
  }

  /** The archive of another job as a stream; follows a redirect to object storage without the token. */
  async function downloadArtifact(dependency: JobDependency, signal?: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(`${base}/jobs/${dependency.id}/artifacts?direct_download=true`);
    const headers = { 'JOB-TOKEN': dependency.token, 'RUNNER-TOKEN': token, 'User-Agent': userAgent };
    const response = await send({ method: 'GET', url, headers, signal });
    const location = response.headers.location;
    if (!location || (response.statusCode ?? 0) < 300 || (response.statusCode ?? 0) > 399) return response;
    response.resume();
    return await send({ method: 'GET', url: new URL(location, url), headers: { 'User-Agent': userAgent }, signal });
  }

  return {
    requestJob,
    updateJob,
    patchTrace,
    createRelease,
    uploadArtifact,
    downloadArtifact,
    uploadCache,
    downloadCache,
  };
}

export type Refusal = { status: number; said: string; after: number | undefined };

const userAgent = 'millrace-runner';

async function* multipart(head: string, file: string, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) yield chunk as Buffer;
  yield Buffer.from(tail);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function traceInterval(response: IncomingMessage): number | undefined {
  const seconds = Number(single(response.headers['x-gitlab-trace-update-interval']));
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

function jobStatus(response: IncomingMessage): JobStatus {
  const status = single(response.headers['job-status']);
  if (status === 'canceled' || status === 'failed') return 'gone';
  return status === 'canceling' ? 'canceling' : 'going';
}

// `Range: 0-N` where N counts the stored bytes.
function storedBytes(response: IncomingMessage): number | undefined {
  const match = /^(?:bytes[ =])?0-(\d+)$/.exec(response.headers.range ?? '');
  return match ? Number(match[1]) : undefined;
}
