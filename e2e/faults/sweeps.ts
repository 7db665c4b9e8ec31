/** The sweeps of the server's tests with every combination: `npm test` takes a part of each. */
import { spawn } from 'node:child_process';
import { sweepFiles } from '../../scripts/lib/sweeps.ts';
import { root } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';

export async function wholeSweeps(suite: Suite): Promise<void> {
  const run = async (): Promise<void> => {
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...sweepFiles], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, SWEEPS: 'exhaustive' },
    });
    const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`the sweeps ended with code ${code}`);
  };
  await suite.step('faults: every request of every sweep is answered as declared', run, 3600);
}
