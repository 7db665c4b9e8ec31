/** Which processes can be new since a moment, as the kernel numbers them. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { firstNewPid, killProcesses, memoryOf, momentNow, numbersFrom } from './processes.ts';

test('only larger numbers are new until the numbers may have begun again', () => {
  const since = { lastPid: 1000, forks: 50_000 };
  expect(firstNewPid(since, { lastPid: 1010, forks: 50_010 }, 300, 32_768)).toBe(1001);
  expect(firstNewPid(since, { lastPid: 1000, forks: 50_000 }, 300, 32_768)).toBe(1001);
  // As many starts as there are numbers up to the largest, with those that are passed over.
  expect(firstNewPid(since, { lastPid: 32_000, forks: 50_000 + 31_467 }, 300, 32_768)).toBe(1001);
  expect(firstNewPid(since, { lastPid: 32_000, forks: 50_000 + 31_468 }, 300, 32_768)).toBe(0);
  expect(firstNewPid(since, { lastPid: 900, forks: 50_010 }, 300, 32_768)).toBe(0);
  expect(firstNewPid(undefined, { lastPid: 1, forks: 1 }, 300, 32_768)).toBe(0);
  expect(firstNewPid(since, undefined, 300, 32_768)).toBe(0);
});

test.runIf(process.platform === 'linux')('the kernel says how far it has counted', () => {
  const moment = momentNow();
  expect(moment?.lastPid).toBeGreaterThan(0);
  expect(moment?.forks).toBeGreaterThan(0);
});

test('new numbers are tried one by one, also those that are given meanwhile; many are listed', () => {
  const given =
    (...values: number[]) =>
    () =>
      values.shift() ?? Number.NaN;
  const none = () => {
    throw new Error('listed');
  };
  expect([...numbersFrom(10, given(12, 12), none)]).toEqual([10, 11, 12]);
  expect([...numbersFrom(10, given(11, 13, 13), none)]).toEqual([10, 11, 12, 13]);
  expect([...numbersFrom(10, given(9), none)]).toEqual([]);
  const all = () => [1, 5, 900, 1000];
  expect([...numbersFrom(0, none, all)]).toEqual([1, 5, 900, 1000]);
  expect([...numbersFrom(600, given(1000), all)]).toEqual([900, 1000]);
  // They have begun again: before the look, and during it.
  expect([...numbersFrom(900, given(5), all)]).toEqual([900, 1000]);
  expect([...numbersFrom(900, given(901, 5), all)]).toEqual([900, 901, 1, 5, 900, 1000]);
});

// Skipped without python3: few programs can end their first thread alone.
const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find((path) => existsSync(path));
test.runIf(process.platform === 'linux' && python)(
  'a process whose first thread has ended is counted and ended like any other, also by its mark alone',
  async () => {
    const program = [
      'import ctypes, threading, time',
      "kept = b'x' * 50_000_000",
      'threading.Thread(target=time.sleep, args=(60,)).start()',
      'ctypes.CDLL(None).pthread_exit(None)',
    ].join('\n');
    const variable = `test-${process.pid}-${Date.now()}`;
    const child = spawn(python ?? '', ['-c', program], { env: { MILLRACE_JOB_MARK: variable }, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    const mark = { account: undefined, variable, roots: new Set<number>() };
    await expect.poll(() => memoryOf(mark, 0)).toBeGreaterThan(40_000_000);
    const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8');
    await expect.poll(status).toMatch(/^State:\s+Z/m);
    expect(memoryOf(mark, 0)).toBeGreaterThan(40_000_000);
    expect(memoryOf(mark, 1e12)).toBeGreaterThan(40_000_000);
    expect(await killProcesses(mark)).toBe(true);
    expect(await ended).toBe('SIGKILL');
  },
);
