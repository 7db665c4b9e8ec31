/** Test clusters do not outlive the run that made them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { createTestCluster } from './index.ts';
import { isAlive } from './postmaster.ts';
import { clusterFolder } from './test-cluster.ts';

type Said = { pid: number; host: string };

async function suite(how: 'end' | 'stay') {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../testdata/suite.ts'), how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, exit, said: JSON.parse(line) as Said };
}

test('a cluster ends with the process that forgot to stop it', async () => {
  const { exit, said } = await suite('end');
  await exit;
  await expect.poll(() => isAlive(said.pid)).toBe(false);
  await expect.poll(() => existsSync(said.host)).toBe(false);
});

test('a cluster of a killed run is swept away by the next one', async () => {
  const { child, exit, said } = await suite('stay');
  child.kill('SIGKILL');
  await exit;
  expect(isAlive(said.pid)).toBe(true);
  const cluster = await createTestCluster();
  await expect.poll(() => isAlive(said.pid)).toBe(false);
  await expect.poll(() => existsSync(said.host)).toBe(false);
  await cluster.stop();
});

test('a cluster lies in memory only where there is plenty of it', async () => {
  const plenty = 64 * 1024 ** 3;
  expect(await clusterFolder('/nonexistent', plenty)).toBe(tmpdir());
  expect(await clusterFolder('/dev/shm', 1024 ** 3)).toBe(tmpdir());
  // Room without writing is none.
  expect(await clusterFolder('/proc', plenty)).toBe(tmpdir());
});
