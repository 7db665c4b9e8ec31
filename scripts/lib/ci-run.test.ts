/** The record of a complete check. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ciRunOf, partsOf, writeCiRun } from './ci-run.ts';
import { clearResults, readResults, type TestResult, writeResults } from './results.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ci-run-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const commit = '729a4be0c1f2d3e4a5b6c7d8e9f00112233445566';
const checked = { commit, changed: false, at: '2026-02-03T04:05:06.000Z', passed: 12, failed: 1 };
const test1: TestResult = { file: 'a.test.ts', title: 'one', state: 'passed', ms: 5, unstable: 'too late' };
const parts = partsOf('types\t0\t4\nformat and lint\t1\t10\ntests\t0\t700\n');

test('says which commit was checked, what failed, what was tried again, and how long each part took', () => {
  const suites = [
    { suite: 'e2e', tests: [{ ...test1, file: 'e2e/a.ts' }], seconds: 240.4 },
    {
      suite: 'tests',
      tests: [test1, { file: 'a.test.ts', title: 'two', state: 'passed' as const, ms: 5 }],
      seconds: 400,
    },
  ];
  expect(ciRunOf(checked, parts, suites)).toEqual({
    ...checked,
    unstable: 2,
    seconds: { types: 4, 'format and lint': 10, tests: 700, 'suite e2e': 240, 'suite tests': 400 },
    failures: ['format and lint'],
  });
});

test('lies among the results, is none of them, and stays when they are cleared', () => {
  writeResults(root, 'tests', [test1]);
  writeCiRun(root, ciRunOf(checked, parts, readResults(root)));
  expect(readResults(root).map(({ suite }) => suite)).toEqual(['tests']);
  clearResults(root);
  expect(readResults(root)).toEqual([]);
  expect(JSON.parse(readFileSync(join(root, '.results/ci-run.json'), 'utf8'))).toMatchObject({ commit, unstable: 1 });
});

test('a line that is no part is an error', () => {
  expect(() => partsOf('types\tx\t4\n')).toThrow('not a part: types\tx\t4');
});
