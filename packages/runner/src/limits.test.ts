/** Jobs that take more than their share: they end, named by the limit, and others go on. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Harness, harness } from '../testdata/harness.ts';

// Skipped without root: only root gives each slot a uid of its own, by which processes are counted.
const isRoot = process.geteuid?.() === 0;

let h: Harness;
beforeEach(async () => {
  h = await harness();
});
afterEach(() => h.close());

const megabyte = 1024 ** 2;

test.runIf(isRoot)('[security 25] a fork bomb ends at its limit, and a job beside it does not notice', async () => {
  h.start({ slots: 2, limits: { processes: 60 } });
  const bomb = h.run({ script: ['bomb() { bomb | bomb & }', 'bomb', 'sleep 1', 'echo "still here"'] });
  const other = h.run({ script: ['for i in 1 2 3 4 5; do sh -c true; sleep 0.2; done', 'echo unharmed'] });
  expect((await other.final).state).toBe('success');
  expect(other.trace.toString()).toMatch(/^unharmed$/m);
  await bomb.final;
  expect(bomb.trace.toString()).toMatch(/fork/);
  // The slot is free of it: the next job can start processes again.
  const next = h.run({ script: ['sh -c "echo next"'] });
  expect((await next.final).state).toBe('success');
});

test('a job that takes more memory than it may is ended', async () => {
  h.start({ limits: { memoryBytes: 64 * megabyte } });
  const record = h.run({ script: ['head -c 400000000 /dev/zero | tail | wc -c', 'sleep 30'] });
  const { state, failure_reason: reason } = await record.final;
  expect([state, reason]).toEqual(['failed', 'script_failure']);
  expect(record.trace.toString()).toContain('MILLRACE_RUNNER_MEMORY allows, 67108864 bytes');
});

test('a job that fills the disk is ended: one large file by the kernel, many small ones by the runner', async () => {
  h.start({ limits: { diskBytes: 8 * megabyte } });
  const large = h.run({ script: ['head -c 20000000 /dev/zero > large', 'echo written'] });
  expect((await large.final).state).toBe('failed');
  expect(large.trace.toString()).not.toMatch(/^written$/m);
  const small = h.run({
    script: ['for i in 1 2 3 4 5 6 7 8 9 10 11 12; do head -c 1000000 /dev/zero > "small-$i"; done', 'sleep 30'],
  });
  expect((await small.final).state).toBe('failed');
  expect(small.trace.toString()).toContain('MILLRACE_RUNNER_DISK allows, 8388608 bytes');
});
