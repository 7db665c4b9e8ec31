/** `npm test`: every vitest suite, then the black-box suite against the built product; ends with the sum of both. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { slowestLines, unexplainedLines } from './lib/durations.ts';
import {
  clearResults,
  failureLines,
  readResults,
  type TestResult,
  totals,
  totalsLine,
  unstableLines,
  writeResults,
} from './lib/results.ts';
import { leftOutFiles } from './lib/sampled-files.ts';
import { skippedLines } from './lib/skipped.ts';
import { sweepsLine, sweepsOf } from './lib/sweeps.ts';

const root = join(import.meta.dirname, '..');

/** What runs longer than `minutes` hangs: it is ended with everything that it started, and counts as failed. */
type Suite = { name: string; args: string[]; minutes: number };
// What fails is tried once more, because one chance in thousands of tests must not decide; it is told at the end. The fault
// suite looks for what goes wrong by chance: there nothing is tried again.
const suites: Suite[] = [{ name: 'tests', args: ['node_modules/vitest/vitest.mjs', 'run', '--retry=1'], minutes: 40 }];
if (existsSync(join(root, 'e2e/src/main.ts'))) {
  suites.push({
    name: 'e2e',
    args: ['scripts/node.mjs', '--built', 'e2e/src/main.ts', '--again', '--sampled'],
    minutes: 45,
  });
  suites.push({ name: 'faults', args: ['scripts/node.mjs', '--built', 'e2e/faults/main.ts', '--short'], minutes: 20 });
}

// An interrupt ends the running suite (it cleans up after itself) and no further one starts.
let stopped = false;
function run({ name, args, minutes }: Suite): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', detached: true });
  const limit = setTimeout(() => {
    console.error(`${name}: not done after ${minutes} minutes, ended`);
    // The group: workers and servers of the suite would go on without it.
    if (child.pid) process.kill(-child.pid, 'SIGKILL');
  }, minutes * 60_000);
  const forward = (signal: NodeJS.Signals): void => {
    stopped = true;
    child.kill(signal);
  };
  process.on('SIGINT', forward).on('SIGTERM', forward);
  return new Promise((resolve) => {
    child.on('exit', (code) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      clearTimeout(limit);
      resolve(code ?? 1);
    });
  });
}

// Chosen here, so that every suite takes the same part and the end can say which.
const sweeps = sweepsOf(process.env, Date.now);
process.env.SWEEP_SEED = String(sweeps.seed);
process.env.SLOW_FILES = 'sampled';
const leftOut = leftOutFiles(root, sweeps);

clearResults(root);
let ok = true;
for (const suite of suites) {
  if (stopped) break;
  const started = performance.now();
  const code = await run(suite);
  const seconds = (performance.now() - started) / 1000;
  const { tests: results = [], files = {} } = readResults(root).find((entry) => entry.suite === suite.name) ?? {};
  // A suite that breaks off before it could say which test failed is a failure of its own.
  const brokeOff = code !== 0 && totals(results).failed === 0;
  const title = `${suite.name} ended with code ${code}`;
  const ending: TestResult[] = brokeOff ? [{ file: suite.name, title, state: 'failed', ms: 0 }] : [];
  writeResults(root, suite.name, [...results, ...ending], { files, seconds });
  ok &&= code === 0;
}

const all = readResults(root);
const results = all.flatMap((entry) => entry.tests);
for (const { suite, seconds = 0 } of all) console.log(`${suite}: ${seconds.toFixed(0)} s`);
console.log(sweepsLine(sweeps));
if (leftOut.length > 0) console.log(`left out of this part: ${leftOut.length} slow files`);
// Said again at the end: whoever keeps only the tail of a log finds what failed.
const lines = [
  slowestLines(all),
  unexplainedLines(root, all),
  skippedLines(root, results),
  unstableLines(results),
  failureLines(results),
];
for (const line of lines.flat()) console.log(line);
const sum = totals(results);
console.log(totalsLine(sum));
process.exitCode = ok && !stopped && sum.failed === 0 && sum.passed > 0 ? 0 : 1;
