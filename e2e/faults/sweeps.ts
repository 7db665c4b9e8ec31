/** The sweeps of the server's tests with every combination: `npm test` takes a part of each. */
import { spawn } from 'node:child_process';
import { sweepFiles } from '../../scripts/lib/sweeps.ts';
import { root } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';

async function vitest(args: readonly string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`the tests ended with code ${code}`);
}

export async function wholeSweeps(suite: Suite): Promise<void> {
  const run = () => vitest(sweepFiles, { SWEEPS: 'exhaustive' });
  await suite.step('faults: every request of every sweep is answered as declared', run, 3600);
}

/** Twenty runners, some of which are killed between hand-out and first word. */
export async function manyJobs(suite: Suite, jobs: number): Promise<void> {
  const file = 'server/src/features/ci/runner-protocol/queue.test.ts';
  const run = () => vitest([file, '-t', 'twenty runners', '--testTimeout', '1800000'], { QUEUE_JOBS: String(jobs) });
  await suite.step(`faults: of ${jobs} jobs of runners that are killed none is lost, none runs twice`, run, 3600);
}
