/** The slowest files, and those that do not say why. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { slowestLines, unexplainedLines } from './durations.ts';
import type { SuiteResults, TestResult } from './results.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'durations-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const result = (file: string, ms: number): TestResult => ({ file, title: 'one', state: 'passed', ms });
const suites: SuiteResults[] = [
  { suite: 'e2e', tests: [result('scenario.ts', 14_000), result('scenario.ts', 10_000)] },
  {
    suite: 'tests',
    tests: [result('a.test.ts', 4), result('b.test.ts', 19_000), result('c.test.ts', 9)],
    files: { 'a.test.ts': 31_260, 'b.test.ts': 20_000, 'c.test.ts': 50_000 },
  },
];

test('of each file the time with its hooks is told where it is known, else the sum of its tests', () => {
  expect(slowestLines(suites, 3)).toEqual([
    'slowest: 50.0 s c.test.ts',
    'slowest: 31.3 s a.test.ts',
    'slowest: 24.0 s scenario.ts',
  ]);
});

test('a file above 20 s whose first line does not say why is told', () => {
  writeFileSync(join(root, 'a.test.ts'), '/** What it is. */\n// Slow: not in the first line\n');
  writeFileSync(join(root, 'b.test.ts'), '/** Just fast enough. */\n');
  writeFileSync(join(root, 'c.test.ts'), '/** Every route. Slow: there are many. */\n');
  writeFileSync(join(root, 'scenario.ts'), '/** Slow: */\n');
  expect(unexplainedLines(root, suites)).toEqual([
    'SLOW 31.3 s a.test.ts: its first line does not say why ("Slow: ...")',
    'SLOW 24.0 s scenario.ts: its first line does not say why ("Slow: ...")',
  ]);
});
