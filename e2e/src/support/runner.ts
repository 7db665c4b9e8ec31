/** A runner over the wire: takes one job, writes its log, leaves reports and ends it as told. */

import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { type Api, until } from './api.ts';
import { zipWith } from './zip.ts';

interface TakenJob {
  readonly id: number;
  log(text: string): Promise<void>;
  /** A report of one type. */
  upload(type: string, content: string): Promise<void>;
  /** Uploads an archive with one file. */
  archive(name: string, content: string): Promise<void>;
  end(state: 'success' | 'failed', more?: object): Promise<void>;
}

/** Takes the next job with the tag, as a new runner of the project. */
export async function takeJob(
  call: Api,
  url: string,
  { projectId, tag }: { readonly projectId: number; readonly tag: string },
): Promise<TakenJob> {
  const values = { runner_type: 'project_type', project_id: projectId, tag_list: [tag], run_untagged: false };
  const { token } = await call.expect<{ token: string }>(201, 'POST', '/user/runners', values);
  const send = async (method: string, path: string, json: object) =>
    await fetch(`${url}/api/v4${path}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(json),
    });
  const job = await until('the job', 60, async () => {
    const answer = await send('POST', '/jobs/request', { token });
    return answer.status === 201 ? ((await answer.json()) as { id: number; token: string }) : null;
  });
  return {
    id: job.id,
    async log(text) {
      const answer = await fetch(`${url}/api/v4/jobs/${job.id}/trace`, {
        method: 'PATCH',
        headers: {
          'Content-Type': 'text/plain',
          'Content-Range': `0-${Buffer.byteLength(text) - 1}`,
          'JOB-TOKEN': job.token,
        },
        body: text,
      });
      assert.equal(answer.status, 202, await answer.text());
    },
    async archive(name, content) {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(zipWith(name, content))]), 'artifacts.zip');
      const headers = { 'JOB-TOKEN': job.token };
      const answer = await fetch(`${url}/api/v4/jobs/${job.id}/artifacts`, { method: 'POST', headers, body: form });
      assert.equal(answer.status, 201, await answer.text());
    },
    async upload(type, content) {
      const raw = ['browser_performance', 'codequality', 'load_performance', 'sast', 'terraform'].includes(type);
      const form = new FormData();
      form.set(
        'file',
        new Blob([raw ? content : new Uint8Array(gzipSync(content))]),
        raw ? `${type}.json` : `${type}.gz`,
      );
      const query = `artifact_type=${type}&artifact_format=${raw ? 'raw' : 'gzip'}`;
      const answer = await fetch(`${url}/api/v4/jobs/${job.id}/artifacts?${query}`, {
        method: 'POST',
        headers: { 'JOB-TOKEN': job.token },
        body: form,
      });
      assert.equal(answer.status, 201, await answer.text());
    },
    async end(state, more = {}) {
      assert.equal((await send('PUT', `/jobs/${job.id}`, { token: job.token, state, ...more })).status, 200);
    },
  };
}
