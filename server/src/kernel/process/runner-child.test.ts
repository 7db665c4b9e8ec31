/** The built-in runner comes when it is wanted, leaves when it is idle, and goes with the server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRunnerChild, type RunnerChild } from './runner-child.ts';

let directory: string;
let server: Server;
const requests: Array<{ path: string; body: string }> = [];
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-runner-'));
  // A server without jobs: each request for one is noted and answered with nothing.
  server = createServer(async (request, response) => {
    requests.push({ path: request.url ?? '', body: await text(request) });
    setTimeout(() => response.writeHead(204).end(), 20);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

const warnings: string[] = [];
function keeper(token: () => Promise<string>, idleSeconds: number): RunnerChild {
  return createRunnerChild({
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    workDirectory: directory,
    slots: 1,
    executor: 'shell',
    hidden: [],
    idleSeconds,
    log: { info: () => undefined, warn: (_details, message) => void warnings.push(message) },
  });
}

const alive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

it('starts with the first job, leaves when idle, and comes back for the next', async () => {
  const runner = keeper(async () => 'glrt-built-in-runner', 1);
  expect(runner.pid).toBeNull();
  runner.wanted();
  runner.wanted();
  await expect.poll(() => requests.length).toBeGreaterThan(0);
  const first = runner.pid;
  expect(first).not.toBeNull();
  expect(requests[0]).toMatchObject({ path: '/api/v4/jobs/request' });
  expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ token: 'glrt-built-in-runner' });
  // The second wish came while it was starting: it is asked once more before it may stay away.
  await expect.poll(() => runner.pid !== first).toBe(true);
  await expect.poll(() => runner.pid).toBeNull();
  runner.wanted();
  await expect.poll(() => runner.pid).not.toBeNull();
  const last = runner.pid ?? 0;
  await runner.stop();
  expect(alive(last)).toBe(false);
  runner.wanted();
  expect(runner.pid).toBeNull();
  expect(warnings).toEqual([]);
});

it('comes back after it was killed', async () => {
  const runner = keeper(async () => 'glrt-built-in-runner', 60);
  runner.wanted();
  await expect.poll(() => runner.pid).not.toBeNull();
  const first = runner.pid ?? 0;
  process.kill(first, 'SIGKILL');
  await expect.poll(() => runner.pid !== null && runner.pid !== first).toBe(true);
  await runner.stop();
  expect(warnings.splice(0)).toEqual(['the built-in runner ended unexpectedly']);
});

it('says why it could not be started', async () => {
  const runner = keeper(() => Promise.reject(new Error('no token')), 60);
  runner.wanted();
  await expect.poll(() => warnings).toEqual(['the built-in runner could not be started']);
  await runner.stop();
});
