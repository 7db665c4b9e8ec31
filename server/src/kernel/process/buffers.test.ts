/** Buffers of a stream are freed while it runs: in a process of its own, because what is switched is the process. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bufferCollector } from './buffers.ts';

const program = (bound: boolean) => `
  import { setImmediate as turn } from 'node:timers/promises';
  import { boundWaitingBuffers } from ${JSON.stringify(path.join(import.meta.dirname, 'buffers.ts'))};
  if (${bound}) boundWaitingBuffers();
  let most = 0;
  for (let chunk = 0; chunk < 6000; chunk++) {
    Buffer.allocUnsafeSlow(64 * 1024);
    if (chunk % 8 === 0) await turn();
    most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  process.stdout.write(String(Math.round(most / 1024 / 1024)));`;

const mostMegabytes = (bound: boolean) =>
  Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program(bound)], { encoding: 'utf8' }));

it('what a stream leaves behind is freed at a fraction of what V8 would let wait', () => {
  // Buffers are freed beside the program: on a busy machine some wait longer than their turn, so the best of three counts.
  const best = (bound: boolean) => Math.min(...[1, 2, 3].map(() => mostMegabytes(bound)));
  const [without, bound] = [best(false), best(true)];
  expect(without).toBeGreaterThan(2 * bound);
});

it('old buffers are collected when there is enough to gain and little to do', () => {
  const megabyte = 1024 * 1024;
  const now = { bytes: 4 * megabyte, busy: 0 };
  let collections = 0;
  const look = bufferCollector(
    () => {
      collections += 1;
      now.bytes = 6 * megabyte;
    },
    { bytes: () => now.bytes, busy: () => now.busy },
  );
  const after = (megabytes: number, busy: number) => {
    Object.assign(now, { bytes: megabytes * megabyte, busy });
    look();
    return collections;
  };
  expect(after(19, 0)).toBe(0);
  expect(after(80, 0.9)).toBe(0);
  expect(after(80, 0.1)).toBe(1);
  // What a collection left is in use: it is no reason for the next one.
  expect(after(21, 0.1)).toBe(1);
  expect(after(22, 0.1)).toBe(2);
});

it('a full collection frees what has become old', () => {
  const old = `
    import { setTimeout as pause } from 'node:timers/promises';
    import { collectWaitingBuffers } from ${JSON.stringify(path.join(import.meta.dirname, 'buffers.ts'))};
    collectWaitingBuffers(100);
    let kept = [];
    for (let chunk = 0; chunk < 600; chunk++) kept.push(Buffer.allocUnsafeSlow(64 * 1024));
    const most = process.memoryUsage().arrayBuffers;
    // Young ones are collected again and again meanwhile, and what survives that is old.
    for (let turn = 0; turn < 2_000_000; turn++) kept[turn % 600].last = { turn };
    kept = [];
    // Nothing is allocated from here on: V8 itself would leave them.
    let left = most;
    for (let look = 0; look < 500 && left > most / 4; look++) {
      await pause(100);
      left = process.memoryUsage().arrayBuffers;
    }
    process.stdout.write(String(left / most));`;
  const run = ['--input-type=module', '--eval', old];
  const left = Number(execFileSync(process.execPath, run, { encoding: 'utf8', timeout: 60_000 }));
  expect(left).toBeLessThanOrEqual(1 / 4);
});
