/** CI for tests: a project with a repository, and a runner that speaks the protocol over HTTP as official ones do. */
import { crc32 } from 'node:zlib';
import { expect } from 'vitest';
import type { User } from '../src/kernel/db/rows.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './app.ts';
import { buildAdmin, buildToken, buildUser, unique } from './factories.ts';

/** Asks again until there is something; fails after a minute with what was waited for. */
export async function eventually<T>(what: string, ask: () => Promise<T | null | undefined | false>): Promise<T> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const got = await ask();
    if (got !== null && got !== undefined && got !== false) {
      // An assertion like any other: some tests need no more than this.
      expect(got, what).not.toBe(false);
      return got;
    }
    if (performance.now() > deadline) throw new Error(`${what} did not happen`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

export interface Account {
  readonly user: User;
  readonly token: string;
}

export interface PipelineView {
  readonly id: number;
  readonly status: string;
  readonly source: string;
  readonly ref: string;
  readonly sha: string;
  readonly yaml_errors: string | null;
  readonly [key: string]: unknown;
}

export interface JobPayload {
  readonly id: number;
  readonly token: string;
  readonly variables: ReadonlyArray<{ key: string; value: string; masked: boolean; public: boolean; raw: boolean }>;
  readonly job_info: Record<string, unknown> & { readonly name: string; readonly stage: string };
  readonly [key: string]: unknown;
}

export interface JobView {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly stage: string;
  readonly [key: string]: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export const gracefulFeatures = { cancel_gracefully: true, trace_checksum: true, trace_size: true };

/** The smallest zip file, with so many bytes in front of it that nobody reads. */
export function emptyZip(bytes = 0): Buffer {
  const data = Buffer.alloc(Math.max(bytes, 22));
  data.write('PK\x05\x06', data.length - 22, 'latin1');
  return data;
}

/** One runner process with its token. */
export function protocolRunner(app: Pick<TestApp, 'url'>, token: string) {
  const base = `${app.url}/api/v4`;
  const json = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = { method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
    const response = await fetch(base + path, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const sizes = new Map<number, { size: number; crc: number }>();

  async function request(lastUpdate = '', more: Record<string, unknown> = {}): Promise<Answer> {
    const info = { name: 'test', version: '17.2.0', platform: 'linux', architecture: 'amd64', executor: 'shell' };
    const body = { token, system_id: 's_test', info: { ...info, features: gracefulFeatures }, last_update: lastUpdate };
    // Older versions send the token as an access token too.
    return await json('POST', '/jobs/request', { ...body, ...more }, { 'PRIVATE-TOKEN': token });
  }

  async function patch(job: JobPayload, text: string, start?: number): Promise<Answer> {
    const known = sizes.get(job.id) ?? { size: 0, crc: 0 };
    const from = start ?? known.size;
    const data = Buffer.from(text);
    const response = await fetch(`${base}/jobs/${job.id}/trace?debug_trace=false`, {
      method: 'PATCH',
      headers: {
        'Content-Type': 'text/plain',
        'Content-Range': `${from}-${from + data.length - 1}`,
        'JOB-TOKEN': job.token,
      },
      body: data,
    });
    if (response.status === 202)
      sizes.set(job.id, { size: from + data.length, crc: crc32(data, from === 0 ? 0 : known.crc) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  async function update(job: JobPayload, state: string, more: Record<string, unknown> = {}): Promise<Answer> {
    const { size, crc } = sizes.get(job.id) ?? { size: 0, crc: 0 };
    const output = { checksum: `crc32:${crc.toString(16).padStart(8, '0')}`, bytesize: size };
    return await json(
      'PUT',
      `/jobs/${job.id}`,
      { token: job.token, state, output, ...more },
      { 'PRIVATE-TOKEN': job.token },
    );
  }

  /** The next job, asked for until there is one. */
  const next = (): Promise<JobPayload> =>
    eventually('a job for the runner', async () => {
      const answer = await request();
      if (answer.status === 204) return null;
      if (answer.status !== 201) throw new Error(`jobs/request answered ${answer.status}: ${answer.text}`);
      return JSON.parse(answer.text) as JobPayload;
    });

  async function upload(
    job: JobPayload,
    file: { data: Buffer; name: string; type: string; format: string; expireIn?: string },
  ): Promise<Answer> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(file.data)]), file.name);
    const query = new URLSearchParams({ artifact_type: file.type, artifact_format: file.format });
    if (file.expireIn) query.set('expire_in', file.expireIn);
    const init = { method: 'POST', headers: { 'JOB-TOKEN': job.token }, body: form };
    const response = await fetch(`${base}/jobs/${job.id}/artifacts?${query}`, init);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  const download = (id: number, jobToken: string) =>
    fetch(`${base}/jobs/${id}/artifacts?direct_download=false`, { headers: { 'JOB-TOKEN': jobToken } });

  /** Takes the next job, logs its name and ends it. */
  async function run(state: 'success' | 'failed' = 'success', more: Record<string, unknown> = {}): Promise<JobPayload> {
    const job = await next();
    await patch(job, `running ${job.job_info.name}\n`);
    const reason = state === 'failed' ? { failure_reason: 'script_failure', exit_code: 1 } : {};
    const answer = await update(job, state, { ...reason, ...more });
    if (answer.status !== 200) throw new Error(`PUT answered ${answer.status}: ${answer.text}`);
    return job;
  }

  return { token, json, request, patch, update, next, upload, download, run };
}
export type ProtocolRunner = ReturnType<typeof protocolRunner>;

export interface World {
  readonly app: TestApp;
  readonly admin: Account;
  /** Owner of the projects that `project` makes. */
  readonly owner: Account;
  account(): Promise<Account>;
  project(values?: Record<string, unknown>): Promise<TestProject>;
  /** An instance runner. */
  runner(values?: Record<string, unknown>): Promise<ProtocolRunner & { id: number }>;
  close(): Promise<void>;
}

export interface TestProject {
  readonly id: number;
  readonly path: string;
  /** Commits the configuration (and more files) to a branch; the commit's id. */
  commit(config: string | null, options?: CommitOptions): Promise<string>;
  /** Commits, and waits for the pipeline of the push. */
  push(config: string, options?: CommitOptions): Promise<PipelineView>;
  pipeline(id: number): Promise<PipelineView>;
  /** Jobs of a pipeline by name: their statuses. */
  statuses(pipelineId: number): Promise<Record<string, string>>;
  job(pipelineId: number, name: string): Promise<JobView>;
  /** Waits until the pipeline has the status. */
  reaches(pipelineId: number, status: string): Promise<PipelineView>;
}

export interface CommitOptions {
  readonly branch?: string;
  readonly message?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export async function startWorld(options: Pick<TestAppOptions, 'environment'> = {}): Promise<World> {
  const app = await startTestApp({ background: true, ...options });
  const account = async (user?: User): Promise<Account> => {
    const built = await buildToken(app, { user: user ?? (await buildUser(app)) });
    return { user: built.user, token: built.secret };
  };
  const admin = await account(await buildAdmin(app));
  const owner = await account();

  async function project(values: Record<string, unknown> = {}): Promise<TestProject> {
    const name = unique('ci');
    const json = { name, path: name, initialize_with_readme: true, ...values };
    const created = await app.api<{ id: number; path_with_namespace: string }>('POST', '/projects', {
      token: owner.token,
      json,
    });
    if (created.status !== 201) throw new Error(`project: ${created.status} ${JSON.stringify(created.body)}`);
    const { id, path_with_namespace: path } = created.body;
    const known = new Set<string>();

    async function commit(config: string | null, options: CommitOptions = {}): Promise<string> {
      const { branch = 'main', message = 'Change' } = options;
      const files = { ...(config === null ? {} : { '.gitlab-ci.yml': config }), ...options.files };
      const existing = branch === 'main' || known.has(branch);
      const actions = [];
      for (const [file, content] of Object.entries(files)) {
        const at = existing ? branch : 'main';
        const found = await app.api('GET', `/projects/${id}/repository/files/${encodeURIComponent(file)}`, {
          token: owner.token,
          query: { ref: at },
        });
        actions.push({ action: found.status === 200 ? 'update' : 'create', file_path: file, content });
      }
      const body = { branch, commit_message: message, actions, ...(existing ? {} : { start_branch: 'main' }) };
      const done = await app.api<{ id: string }>('POST', `/projects/${id}/repository/commits`, {
        token: options.token ?? owner.token,
        json: body,
      });
      if (done.status !== 201) throw new Error(`commit: ${done.status} ${JSON.stringify(done.body)}`);
      known.add(branch);
      return done.body.id;
    }

    const pipeline = async (pipelineId: number) =>
      (await app.api<PipelineView>('GET', `/projects/${id}/pipelines/${pipelineId}`, { token: owner.token })).body;
    const jobs = async (pipelineId: number) =>
      (
        await app.api<JobView[]>('GET', `/projects/${id}/pipelines/${pipelineId}/jobs`, {
          token: owner.token,
          query: { per_page: 100 },
        })
      ).body;

    return {
      id,
      path,
      commit,
      pipeline,
      async push(config, options = {}) {
        const sha = await commit(config, options);
        return await eventually('the pipeline of the push', async () => {
          const list = await app.api<PipelineView[]>('GET', `/projects/${id}/pipelines`, {
            token: owner.token,
            query: { sha },
          });
          const [first] = list.body;
          return first && (await pipeline(first.id));
        });
      },
      statuses: async (pipelineId) => Object.fromEntries((await jobs(pipelineId)).map((job) => [job.name, job.status])),
      async job(pipelineId, name) {
        const found = (await jobs(pipelineId)).find((job) => job.name === name);
        if (!found) throw new Error(`no job ${name}`);
        return found;
      },
      reaches: (pipelineId, status) =>
        eventually(`pipeline ${status}`, async () => {
          const now = await pipeline(pipelineId);
          return now.status === status && now;
        }),
    };
  }

  return {
    app,
    admin,
    owner,
    account: () => account(),
    project,
    async runner(values = {}) {
      const created = await app.api<{ id: number; token: string }>('POST', '/user/runners', {
        token: admin.token,
        json: { runner_type: 'instance_type', ...values },
      });
      if (created.status !== 201) throw new Error(`runner: ${created.status} ${JSON.stringify(created.body)}`);
      return { ...protocolRunner(app, created.body.token), id: created.body.id };
    },
    close: () => app.close(),
  };
}
