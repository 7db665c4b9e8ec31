/** A small server of the runner protocol for tests: jobs, traces, artifacts, and real git over HTTP. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JobPayload } from '../src/protocol.ts';
import type { SessionOffer } from '../src/terminal/sessions.ts';

export type Update = { state: string; failure_reason?: string; exit_code?: number; checksum?: string; output?: { bytesize: number }; last_piece?: { start: number; data: string } };
export type Upload = { type: string; format: string; filename: string; body: Buffer; expireIn: string | null };

export type JobRecord = {
  payload: JobPayload;
  trace: Buffer;
  /** When bytes arrived and how far the trace reached then. */
  patches: { at: number; size: number }[];
  updates: Update[];
  uploads: Upload[];
  /** Releases that were asked for with the job's token. */
  releases: { token: string; request: Record<string, unknown> }[];
  /** `Job-Status` of the answers. */
  status: string;
  /** Answers for the next PATCH and PUT calls that end a job, before the usual one. */
  patchAnswers: number[];
  finalAnswers: (number | Promise<number>)[];
  final: Promise<Update>;
};

export type FakeServer = Awaited<ReturnType<typeof fakeServer>>;

/** Starts it. `repositories` is a folder of bare repositories below `/git/`, readable with any job's token. */
export async function fakeServer(repositories = '/nonexistent') {
  const token = 'glrt-fake-runner-token';
  const records = new Map<number, JobRecord>();
  const finish = new Map<number, (update: Update) => void>();
  const waiting: JobPayload[] = [];
  const archives = new Map<number, Buffer>();
  /** What the request that got a job offered for terminals. */
  const sessions = new Map<number, SessionOffer>();
  const requests: { lastUpdate: string; info: { executor: string } }[] = [];
  const state = { holdMilliseconds: 20_000, update: 1, down: 0, traceInterval: '0.2', uploadAnswers: [] as number[] };
  let wake: (() => void)[] = [];
  const gitHeaders: string[] = [];

  async function requestJob(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await read(request)).toString()) as { token: string; last_update: string; info: { executor: string }; session?: SessionOffer };
    if (body.token !== token) return end(response, 403);
    requests.push({ lastUpdate: body.last_update, info: body.info });
    response.setHeader('X-GitLab-Last-Update', String(state.update));
    if (waiting.length === 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, state.holdMilliseconds);
        wake.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    const job = response.destroyed ? undefined : waiting.shift();
    if (job && body.session) sessions.set(job.id, body.session);
    response.setHeader('X-GitLab-Last-Update', String(state.update));
    end(response, job ? 201 : 204, job);
  }

  async function updateJob(record: JobRecord, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const update = JSON.parse((await read(request)).toString()) as Update;
    record.updates.push(update);
    response.setHeader('Job-Status', record.status);
    if (update.state === 'running') return end(response, 200);
    const { last_piece: piece, output } = update;
    const whole = piece ? Buffer.concat([record.trace, Buffer.from(piece.data, 'base64')]) : record.trace;
    const matches = (!piece || piece.start === record.trace.length) && (!output || output.bytesize === whole.length);
    const answer = (await record.finalAnswers.shift()) ?? (matches ? 200 : 412);
    if (answer === 200) record.trace = whole;
    if (answer === 412) record.trace = Buffer.alloc(0);
    end(response, answer);
    if (answer === 200) finish.get(record.payload.id)?.(update);
  }

  async function patchTrace(record: JobRecord, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunk = await read(request);
    const [, from, to] = /^(\d+)-(\d+)$/.exec(request.headers['content-range'] ?? '') ?? [];
    response.setHeader('Job-Status', record.status);
    response.setHeader('X-GitLab-Trace-Update-Interval', state.traceInterval);
    const answer = record.patchAnswers.shift() ?? 202;
    if (answer >= 500) return end(response, answer);
    if (answer === 416 || Number(from) !== record.trace.length || Number(to) - Number(from) + 1 !== chunk.length) {
      response.setHeader('Range', `0-${record.trace.length}`);
      return end(response, 416);
    }
    record.trace = Buffer.concat([record.trace, chunk]);
    record.patches.push({ at: performance.now(), size: record.trace.length });
    response.setHeader('Range', `0-${record.trace.length}`);
    end(response, 202);
  }

  async function upload(record: JobRecord, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const answer = state.uploadAnswers.shift() ?? 201;
    if (answer === 201) {
      const start = body.indexOf('\r\n\r\n') + 4;
      const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')![1]!;
      const query = url.searchParams;
      record.uploads.push({
        type: query.get('artifact_type')!,
        format: query.get('artifact_format')!,
        expireIn: query.get('expire_in'),
        filename: /filename="([^"]*)"/.exec(body.subarray(0, start).toString())![1]!,
        body: body.subarray(start, body.length - Buffer.byteLength(`\r\n--${boundary}--\r\n`)),
      });
    }
    end(response, answer, { message: answer === 201 ? '201 Created' : 'refused' });
  }

  async function release(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = String(request.headers['job-token']);
    const wanted = JSON.parse((await read(request)).toString()) as Record<string, unknown>;
    const record = [...records.values()].find(({ payload }) => payload.token === token);
    if (!record) return end(response, 401, { message: '401 Unauthorized' });
    if (wanted.tag_name === 'taken') return end(response, 409, { message: 'Release already exists' });
    record.releases.push({ token, request: wanted });
    end(response, 201, { ...wanted, _links: { self: `https://example.com/releases/${String(wanted.tag_name)}` } });
  }

  function git(url: URL, request: IncomingMessage, response: ServerResponse): void {
    const credential = Buffer.from(request.headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
    gitHeaders.push(credential);
    const known = [...records.values()].some(({ payload }) => credential === `gitlab-ci-token:${payload.token}`);
    if (!known) {
      response.setHeader('WWW-Authenticate', 'Basic realm="git"');
      return end(response, 401);
    }
    const child = spawn('git', ['-c', 'safe.directory=*', 'http-backend'], {
      env: {
        PATH: '/usr/bin:/bin',
        GIT_PROJECT_ROOT: repositories,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname.slice('/git'.length),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method!,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdout.on('end', () => {
      const output = Buffer.concat(chunks);
      const split = output.indexOf('\r\n\r\n');
      for (const line of output.subarray(0, split).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(': ');
        if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(output.subarray(split + 4));
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, 'http://localhost');
    if (url.pathname.startsWith('/git/')) return git(url, request, response);
    if (state.down > 0) {
      state.down--;
      request.resume();
      return end(response, 503);
    }
    if (url.pathname === '/api/v4/jobs/request') return await requestJob(request, response);
    if (url.pathname === '/api/v4/projects/7/releases') return await release(request, response);
    const [, id, rest] = /^\/api\/v4\/jobs\/(\d+)(\/.*)?$/.exec(url.pathname) ?? [];
    const record = records.get(Number(id));
    if (request.method === 'GET' && rest === '/artifacts') {
      const archive = archives.get(Number(id));
      return archive && request.headers['job-token'] === `dependency-${id}` ? void response.end(archive) : end(response, 404);
    }
    if (!record) return end(response, 404);
    if (request.method === 'PUT') return await updateJob(record, request, response);
    if (request.headers['job-token'] !== record.payload.token) return end(response, 403);
    if (request.method === 'PATCH') return await patchTrace(record, request, response);
    return await upload(record, url, request, response);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    token,
    state,
    requests,
    gitHeaders,
    archives,
    sessions,
    /** Adds a job to the queue and wakes a held request. */
    enqueue(job: JobPayload): JobRecord {
      const final = new Promise<Update>((resolve) => finish.set(job.id, resolve));
      const record: JobRecord = {
        payload: job, trace: Buffer.alloc(0), patches: [], updates: [], uploads: [], releases: [],
        status: 'running', patchAnswers: [], finalAnswers: [], final,
      }; // prettier-ignore
      records.set(job.id, record);
      waiting.push(job);
      state.update++;
      wake.shift()?.();
      return record;
    },
    async close(): Promise<void> {
      for (const resume of wake) resume();
      wake = [];
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function end(response: ServerResponse, status: number, body?: unknown): void {
  response.statusCode = status;
  response.end(body === undefined ? undefined : JSON.stringify(body));
}
