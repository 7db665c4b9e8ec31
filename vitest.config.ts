/** One configuration for every suite: all workspaces, real processes, two workers. */
import { existsSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { resultsReporter } from './scripts/lib/results-reporter.ts';
import { leftOutFiles } from './scripts/lib/sampled-files.ts';
import { LongestFirst } from './scripts/lib/sequencer.ts';
import { sweepsOf } from './scripts/lib/sweeps.ts';

/** A report that CI keeps, when it names a file for it. */
const junitFile = process.env.JUNIT_FILE;
const globalSetup = 'server/test/global-setup.ts';

// `npm test` says so: files that somebody names are always run.
const leftOut =
  process.env.SLOW_FILES === 'sampled' ? leftOutFiles(import.meta.dirname, sweepsOf(process.env, Date.now)) : [];
const exclude = ['**/node_modules/**', '**/dist/**', '**/testdata/**', ...leftOut];
// Files of a worker share its modules: importing the product again for each of them took half of the processor's time.
const common = {
  pool: 'forks',
  isolate: false,
  maxWorkers: 2,
  // Nothing is proved by these: they end what hangs, also on a machine that has other things to do. What a test waits for has
  // a minute, which is less than the test has: it says what did not come.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // A test whose assertions are in a loop over nothing, or in a callback that nobody calls, fails.
  expect: { poll: { timeout: 60_000, interval: 20 }, requireAssertions: true },
  exclude,
} as const;

export default defineConfig({
  test: {
    maxWorkers: 2,
    allowOnly: false,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      resultsReporter({ root: import.meta.dirname, suite: 'tests' }),
      ...(junitFile ? [['junit', { outputFile: junitFile }] as ['junit', { outputFile: string }]] : []),
    ],
    projects: [
      { test: { ...common, name: 'packages', include: ['{packages/*,web,scripts}/**/*.test.{ts,tsx}'] } },
      {
        test: {
          ...common,
          name: 'server',
          include: ['{server,cli,bench}/**/*.test.ts'],
          // One PostgreSQL cluster for the run; each test file clones its own database from a template.
          globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
        },
      },
    ],
  },
});
