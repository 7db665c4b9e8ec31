/** Buffers of a stream are freed while it runs: in a process of its own, because what is switched is the process. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';

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
