/** Jobs without a server, and the dummy executor. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ArtifactUpload, ExecutorName, JobPayload } from './index.ts';
import { runJobLocally } from './index.ts';

function payload(script: string[], more: Partial<JobPayload> = {}): JobPayload {
  return {
    id: 1,
    token: 'local-token-of-the-job',
    job_info: { name: 'j', stage: 's', project_id: 1, project_name: 'p' },
    git_info: { repo_url: '/nowhere', ref: 'main', sha: '0'.repeat(40) },
    variables: [
      { key: 'GIT_STRATEGY', value: 'empty' },
      { key: 'WHO', value: 'you there!', masked: true },
    ],
    steps: [{ name: 'script', script }],
    ...more,
  };
}

async function run(job: JobPayload, executor: ExecutorName, signal?: AbortSignal) {
  const workDir = mkdtempSync(join(tmpdir(), 'millrace-local-'));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  const chunks: Buffer[] = [];
  const artifacts: ArtifactUpload[] = [];
  const sink = {
    output: (chunk: Buffer) => void chunks.push(chunk),
    artifact: async (upload: ArtifactUpload) => void artifacts.push(upload),
  };
  const result = await runJobLocally(job, executor, sink, { workDir, ...(signal ? { signal } : {}) });
  return { result, artifacts, log: Buffer.concat(chunks).toString() };
}

test('a shell job writes its masked log to the sink and hands over artifacts', async () => {
  const artifacts = [{ paths: ['*.txt'], artifact_type: 'archive', artifact_format: 'zip' }];
  const {
    result,
    log,
    artifacts: taken,
  } = await run(payload(['echo "hi $WHO"', 'echo 1 > a.txt'], { artifacts }), 'shell');
  expect(result).toEqual({ state: 'success' });
  expect(log).toContain('hi [MASKED]');
  expect(taken).toMatchObject([{ name: 'artifacts.zip', type: 'archive' }]);
});

test('the dummy executor follows its instructions', async () => {
  const job = payload(['echo hello', 'env WHO', 'write out/a.txt text', 'exit 3', 'echo never'], {
    artifacts: [{ paths: ['out/**'], when: 'always', artifact_type: 'archive', artifact_format: 'zip' }],
  });
  const { result, log, artifacts } = await run(job, 'dummy');
  expect(result).toMatchObject({ state: 'failed', reason: 'script_failure', exitCode: 3 });
  expect(log).toMatch(/^hello$/m);
  expect(log).toMatch(/^\[MASKED\]$/m);
  expect(log).not.toMatch(/^never$/m);
  expect(artifacts).toHaveLength(1);
});

test('a signal ends a job at once', async () => {
  const { result } = await run(payload(['sleep 60000']), 'dummy', AbortSignal.timeout(50));
  expect(result).toMatchObject({ state: 'failed', reason: 'runner_system_failure' });
});
