/** Cancel, timeout, limits, troubles of the network, and the end of the runner itself. Slow, sampled: jobs run into their timeouts. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JobRecord } from '../testdata/fake-server.ts';
import { type Harness, harness } from '../testdata/harness.ts';

let h: Harness;
beforeEach(async () => {
  h = await harness();
});
afterEach(() => h.close());

async function said(record: JobRecord, text: string): Promise<void> {
  await expect.poll(() => record.trace.toString()).toContain(text);
}

/** Processes whose command line holds the text. */
function processes(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').includes(text);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** How long a command sleeps that does not end by itself, in words that no other run of these tests uses. */
const hours = (which: number) => `${10_000 + process.pid}.730${which}`;

/** A script whose children left its process group, its session, and its parent, and who ignore polite signals. */
const STUBBORN = (seconds: string) => [
  `(trap "" TERM HUP; setsid sh -c 'trap "" TERM HUP; sleep ${seconds} & sleep ${seconds}' & ) `,
  `nohup sleep ${seconds} >/dev/null 2>&1 &`,
  'echo started',
  `sleep ${seconds}`,
];

test('a canceled job ends within seconds, with every process it started, and without after_script', async () => {
  h.start();
  const record = h.run({ script: STUBBORN(hours(1)), after: ['echo after'] });
  await said(record, '\nstarted\n');
  await expect.poll(() => processes(`sleep ${hours(1)}`).length).toBeGreaterThan(2);
  record.status = 'canceled';
  await expect.poll(() => processes(`sleep ${hours(1)}`)).toEqual([]);
  expect(record.trace.toString()).not.toMatch(/^after$/m);
  expect(await h.run({ script: ['echo next'] }).final).toMatchObject({ state: 'success' });
  expect(record.updates.every((update) => update.state === 'running')).toBe(true);
});

test('canceling ends the script and lets after_script run', async () => {
  h.start();
  const record = h.run({ script: ['echo started', `sleep ${hours(2)}`], after: ['echo "after $CI_JOB_STATUS"'] });
  await said(record, '\nstarted\n');
  record.status = 'canceling';
  expect(await record.final).toMatchObject({ state: 'failed', failure_reason: 'job_canceled' });
  expect(record.trace.toString()).toMatch(/^after canceled$/m);
  expect(processes(`sleep ${hours(2)}`)).toEqual([]);
});

test('the timeout of the job ends it with its own reason', async () => {
  h.start();
  const record = h.run({ script: STUBBORN(hours(3)), runner_info: { timeout: 1 } });
  expect(await record.final).toMatchObject({ state: 'failed', failure_reason: 'job_execution_timeout' });
  expect(record.trace.toString()).toContain('execution took longer than 1 seconds');
  expect(processes(`sleep ${hours(3)}`)).toEqual([]);
});

test('the timeout of the script ends it alone: the job fails, after_script and artifacts follow', async () => {
  h.start();
  const timeouts = [
    { key: 'GIT_STRATEGY', value: 'empty' },
    { key: 'RUNNER_SCRIPT_TIMEOUT', value: '1s' },
    { key: 'RUNNER_AFTER_SCRIPT_TIMEOUT', value: '0m1.5s' },
  ];
  const after = ['echo "after $CI_JOB_STATUS"', `sleep ${hours(4)}`];
  const record = h.run({ script: STUBBORN(hours(4)), after, variables: timeouts });
  expect(await record.final).toMatchObject({ state: 'failed', failure_reason: 'job_execution_timeout' });
  const trace = record.trace.toString();
  expect(trace).toMatch(/^after failed$/m);
  expect(trace).toContain('after_script was ended after 1.5 seconds');
  expect(trace).toContain('Job failed: the script took longer than 1 seconds');
  expect(processes(`sleep ${hours(4)}`)).toEqual([]);
});

test('a failing after_script fails the job where AFTER_SCRIPT_IGNORE_ERRORS is off', async () => {
  h.start();
  const strict = [
    { key: 'GIT_STRATEGY', value: 'empty' },
    { key: 'AFTER_SCRIPT_IGNORE_ERRORS', value: 'false' },
  ];
  const record = h.run({ script: ['true'], after: ['exit 5'], variables: strict });
  expect(await record.final).toMatchObject({ state: 'failed', failure_reason: 'script_failure', exit_code: 5 });
  const other = h.run({ script: ['exit 4'], after: ['exit 5'], variables: strict });
  expect(await other.final).toMatchObject({ state: 'failed', exit_code: 4 });
});

test('a log of 100 MB is cut at the limit in flat memory, and the job goes on', async () => {
  h.start();
  const before = process.memoryUsage().rss;
  const record = h.run({ script: ['head -c 104857600 /dev/zero | tr "\\0" x', 'echo done > proof', 'test -s proof'] });
  expect(await record.final).toMatchObject({ state: 'success' });
  expect(record.trace.length).toBeLessThan(4 * 1024 * 1024 + 300);
  expect(record.trace.toString()).toContain("Job's log exceeded limit of 4194304 bytes.");
  expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024);
});

test('output arrives at once, while the job goes on and says nothing more', async () => {
  h.start();
  const seen = `/tmp/millrace-seen-${process.pid}`;
  const record = h.run({
    script: ['sleep 0.5', 'echo "at $(date +%s%3N) ms"', `until test -e ${seen}; do sleep 0.05; done`, 'echo later'],
  });
  try {
    await expect.poll(() => record.trace.toString()).toMatch(/^at \d+ ms$/m);
  } finally {
    writeFileSync(seen, '');
  }
  await record.final;
  rmSync(seen);
  const epoch = Date.now() - performance.now();
  const trace = record.trace.toString();
  const printed = Number(/^at (\d+) ms$/m.exec(trace)![1]);
  const arrived = record.patches.find((patch) => patch.size > trace.indexOf(`at ${printed}`))!.at + epoch;
  // Below 100 ms where the machine has nothing else to do.
  expect(arrived - printed).toBeLessThan(2000);
});

test('the trace survives answers 416, 500, 412 and 202', async () => {
  h.start();
  const details = { script: ['for i in 1 2 3 4 5 6; do echo line $i; sleep 0.1; done'] };
  const record = h.server.enqueue(h.job(details));
  record.patchAnswers.push(202, 500, 416);
  record.finalAnswers.push(412, 202, 500);
  const final = await record.final;
  expect(final).toMatchObject({ state: 'success', output: { bytesize: record.trace.length } });
  expect(record.trace.toString().match(/^line \d$/gm)).toHaveLength(6);
});

test('a server that is away for a while loses nothing', async () => {
  h.start();
  const record = h.run({ script: ['echo one', 'sleep 0.3', 'echo two'] });
  await said(record, '\none\n');
  h.server.state.down = 4;
  expect(await record.final).toMatchObject({ state: 'success' });
  expect(record.trace.toString()).toMatch(/^two$/m);
  expect(await h.run({ script: ['true'] }).final).toMatchObject({ state: 'success' });
});

test('jobs fill the free slots, and last_update is echoed', async () => {
  h.start({ slots: 2 });
  const meet = (mine: string, other: string) => [
    `touch /tmp/millrace-meet-${process.pid}-${mine}`,
    `until test -e /tmp/millrace-meet-${process.pid}-${other}; do sleep 0.05; done`,
    'sleep 0.3',
    `rm -f /tmp/millrace-meet-${process.pid}-${mine}`,
  ];
  const records = [h.run({ script: meet('a', 'b') }), h.run({ script: meet('b', 'a') })];
  for (const record of records) expect(await record.final).toMatchObject({ state: 'success' });
  expect(h.server.requests.at(-1)!.lastUpdate).toBe(String(h.server.state.update));
  expect(h.server.requests[0]!.info.executor).toBe('shell');
});

test('the next job runs while the end of the one before is told; no more of them than there are slots', async () => {
  const ends = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  const records = [h.run({ script: ['true'] }), h.run({ script: ['true'] }), h.run({ script: ['true'] })];
  for (const [index, { promise }] of ends.entries()) records[index]?.finalAnswers.push(promise);
  h.start({ slots: 1 });
  await expect.poll(() => records[1]?.updates.length).toBe(1);
  expect(records[0]?.updates.length).toBe(1);
  expect(h.server.requests.length).toBe(2);
  ends[0]?.resolve(200);
  expect(await records[2]?.final).toMatchObject({ state: 'success' });
  ends[1]?.resolve(200);
  for (const record of records) expect(await record.final).toMatchObject({ state: 'success' });
});

test('a shutdown reports running jobs as failed by the system and takes them along', async () => {
  const { stop } = h.start();
  const record = h.run({ script: ['echo started', `sleep ${hours(4)}`] });
  await said(record, '\nstarted\n');
  await stop();
  expect(await record.final).toMatchObject({ state: 'failed', failure_reason: 'runner_system_failure' });
  expect(processes(`sleep ${hours(4)}`)).toEqual([]);
});

test('leaves when idle for long enough, between two requests', async () => {
  h.server.state.holdMilliseconds = 100;
  const { ended } = h.start({ exitWhenIdleSeconds: 0.5 });
  expect(await h.run({ script: ['true'] }).final).toMatchObject({ state: 'success' });
  await ended;
});

function child(): { kill(signal: NodeJS.Signals): Promise<number | null>; pid: number } {
  const runner = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const options = {
    url: h.server.url,
    token: h.server.token,
    systemId: 's',
    workDir: h.workDir,
    executor: 'shell',
    baseUid: 64600,
  };
  runner.stdin.write(`${JSON.stringify(options)}\n`);
  const exit = once(runner, 'exit');
  const kill = async (signal: NodeJS.Signals) => {
    runner.kill(signal);
    return ((await exit) as [number | null])[0];
  };
  return { kill, pid: runner.pid! };
}

test('as a process: serves, and ends on SIGTERM with exit code 0 within seconds', async () => {
  const runner = child();
  const record = h.run({ script: ['echo started', `sleep ${hours(5)}`] });
  await said(record, '\nstarted\n');
  expect(readFileSync(`/proc/${runner.pid}/cmdline`, 'latin1')).not.toContain(h.server.token);
  expect(await runner.kill('SIGTERM')).toBe(0);
  expect(await record.final).toMatchObject({ failure_reason: 'runner_system_failure' });
  expect(processes(`sleep ${hours(5)}`)).toEqual([]);
});

test('a runner that is killed leaves nothing that the next one does not clear', async () => {
  const first = child();
  const record = h.run({
    script: STUBBORN(hours(6)),
    variables: [
      { key: 'GIT_STRATEGY', value: 'none' },
      { key: 'F', value: 'x', file: true },
    ],
  });
  await said(record, '\nstarted\n');
  await first.kill('SIGKILL');
  const second = child();
  expect(await h.run({ script: ['true'] }).final).toMatchObject({ state: 'success' });
  expect(processes(`sleep ${hours(6)}`)).toEqual([]);
  const builds = join(h.workDir, 'builds');
  expect(readdirSync(builds).flatMap((slot) => readdirSync(join(builds, slot)))).toEqual(['project-7']);
  expect(existsSync(join(builds, readdirSync(builds)[0]!, `job-${record.payload.id}`))).toBe(false);
  await second.kill('SIGTERM');
});
