/**
 * Files of tests that take long and prove nothing that a statement of the specification waits for say `Slow, sampled: ...` in
 * their first line. `npm test` takes one part of them, another one from run to run, as of the sweeps; `.ci/run` takes all, and
 * so does whoever names one.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDrawn, type Sweeps } from './sweeps.ts';

const mark = /\bSlow, sampled: \w/;
const excluded = (path: string): boolean => /(?:^|\/)(?:node_modules|dist|testdata)$/.test(path);

/** Paths below `root` of the files that this run leaves out, in order. */
export function leftOutFiles(root: string, sweeps: Sweeps): string[] {
  const tests = globSync('{server,cli,bench,packages/*}/**/*.test.ts', { cwd: root, exclude: excluded }).sort();
  const sampled = tests.filter((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    return mark.test(source.slice(0, source.indexOf('\n')));
  });
  return sampled.filter((_file, index) => !isDrawn(sweeps, index));
}
