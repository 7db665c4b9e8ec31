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

/** `${{ expression }}`, as configurations write it. */
const filled = (expression: string) => `$\{{ ${expression} }}`;
const input = (key: string, type: string, content: unknown) => ({ key, value: { type, content, sensitive: false } });

test('inputs of the job are put into its script and artifacts', async () => {
  const inputs = [input('who', 'string', 'you'), input('times', 'number', 2), input('list', 'array', ['a', 1])];
  const script = [
    `echo "hi ${filled('job.inputs.who')} ${filled('job.inputs.times')}"`,
    `echo '${filled('job.inputs.list')}' > out-you.txt`,
  ];
  const artifacts = [
    { paths: [`out-${filled('job.inputs.who')}.txt`], artifact_type: 'archive', artifact_format: 'zip' },
  ];
  const { result, log, artifacts: taken } = await run(payload(script, { inputs, artifacts }), 'shell');
  expect([result.state, taken.length]).toEqual(['success', 1]);
  expect(log).toMatch(/^hi you 2$/m);
  const wrong = await run(payload([`echo ${filled('job.inputs.other')}`], { inputs }), 'shell');
  expect(wrong.result).toMatchObject({
    reason: 'script_failure',
    message: `failed to interpolate job inputs: ${filled('job.inputs.other')}: there is no other`,
  });
  const without = await run(payload([`echo '${filled('anything')}'`]), 'shell');
  expect(without.log).toMatch(/^\$\{\{ anything \}\}$/m);
});

test('scripts of `run` are steps of their own; what must be fetched is refused', async () => {
  const steps = [
    { name: 'one', script: 'echo "first $NAME"', env: { NAME: "it's" } },
    { name: 'two', script: 'exit 4' },
    { name: 'three', script: 'echo never' },
  ];
  const { result, log } = await run(payload([], { steps: [], run: JSON.stringify(steps) }), 'shell');
  expect(result).toMatchObject({ state: 'failed', reason: 'script_failure', exitCode: 4 });
  expect(log).toMatch(/^first it's$/m);
  expect(log).not.toMatch(/^never$/m);
  const fetched = JSON.stringify([{ name: 'far', step: 'example.com/step@v1' }]);
  expect((await run(payload([], { steps: [], run: fetched }), 'shell')).result).toMatchObject({
    reason: 'runner_system_failure',
    message: 'step far is no script, and this runner runs scripts only',
  });
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
