/** A runner that speaks the protocol and runs nothing. */
import { createHash } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Target } from './target.ts';

export interface TakenJob {
  readonly id: number;
  readonly token: string;
}

export interface ProtocolRunner {
  /** The next job; the request is held until there is one. */
  take(): Promise<TakenJob>;
  /** One piece of the log, which begins at this byte. */
  write(job: TakenJob, start: number, data: Buffer): Promise<void>;
  upload(job: TakenJob, form: FormData): Promise<void>;
  end(job: TakenJob): Promise<void>;
}

const agent = new Agent({ keepAlive: true });

/** `fetch` takes three times as long for some megabytes as the server does, on the same cores. */
const sendBytes = (target: URL, data: Buffer, headers: Record<string, string>) =>
  new Promise<void>((resolve, reject) => {
    const sent = request(target, { method: 'PATCH', agent, headers: { ...headers, 'Content-Length': data.length } });
    sent.once('error', reject);
    sent.once('response', (answer) => {
      answer.resume();
      answer.once('error', reject);
      answer.once('end', () =>
        answer.statusCode === 202 ? resolve() : reject(new Error(`PATCH ${target.pathname}: ${answer.statusCode}`)),
      );
    });
    sent.end(data);
  });

/** Registers a runner for jobs with the tag. */
export async function protocolRunner({ call, url }: Target, tag: string): Promise<ProtocolRunner> {
  const { token } = await call<{ token: string }>('POST', '/user/runners', {
    ...{ runner_type: 'instance_type', run_untagged: false, tag_list: [tag] },
  });
  const system_id = `s_${createHash('sha256').update(token).digest('hex').slice(0, 12)}`;
  const send = async (method: string, path: string, status: number, init: RequestInit) => {
    const answer = await fetch(`${url}/api/v4${path}`, { method, ...init });
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const json = (body: object) => ({ headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return {
    async take() {
      let last_update = '';
      for (;;) {
        const answer = await fetch(`${url}/api/v4/jobs/request`, {
          method: 'POST',
          ...json({ token, system_id, last_update }),
        });
        last_update = answer.headers.get('X-GitLab-Last-Update') ?? '';
        if (answer.status === 201) return (await answer.json()) as TakenJob;
        if (answer.status !== 204) throw new Error(`jobs/request: ${answer.status} ${await answer.text()}`);
      }
    },
    write: (job, start, data) =>
      sendBytes(new URL(`${url}/api/v4/jobs/${job.id}/trace`), data, {
        'Content-Type': 'text/plain',
        'Content-Range': `${start}-${start + data.length - 1}`,
        'JOB-TOKEN': job.token,
      }),
    upload: (job, form) =>
      send('POST', `/jobs/${job.id}/artifacts?artifact_type=archive&artifact_format=zip`, 201, {
        headers: { 'JOB-TOKEN': job.token },
        body: form,
      }),
    end: (job) => send('PUT', `/jobs/${job.id}`, 200, json({ token: job.token, state: 'success' })),
  };
}
