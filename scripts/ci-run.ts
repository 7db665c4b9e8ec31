/** `.ci/run` calls this at its end, with the file of its parts and the totals: writes .results/ci-run.json. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ciRunOf, partsOf, writeCiRun } from './lib/ci-run.ts';
import { readResults } from './lib/results.ts';

const root = join(import.meta.dirname, '..');
const git = (...args: string[]): string => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} ended with ${status}`);
  return stdout.trim();
};

const [parts = '', passed, failed] = process.argv.slice(2);
const checked = {
  commit: git('rev-parse', 'HEAD'),
  changed: git('status', '--porcelain', '--untracked-files=all') !== '',
  at: new Date().toISOString(),
  passed: Number(passed),
  failed: Number(failed),
};
writeCiRun(root, ciRunOf(checked, partsOf(readFileSync(parts, 'utf8')), readResults(root)));
