/** The results files: merging of partial runs, and the totals. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  clearResults,
  failureLines,
  readResults,
  reasonOf,
  type TestResult,
  totals,
  totalsLine,
  unstableLines,
  writeResults,
} from './results.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'results-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const result = (file: string, title: string, state: TestResult['state']): TestResult => ({ file, title, state, ms: 1 });

test('a partial run replaces its own files and keeps the others that still exist', () => {
  writeFileSync(join(root, 'a.test.ts'), '');
  writeFileSync(join(root, 'b.test.ts'), '');
  writeResults(root, 'tests', [
    result('a.test.ts', 'one', 'passed'),
    result('a.test.ts', 'two', 'passed'),
    result('b.test.ts', 'three', 'passed'),
    result('gone.test.ts', 'four', 'passed'),
  ]);
  writeResults(root, 'tests', [result('a.test.ts', 'one', 'failed')]);
  const titles = readResults(root).flatMap((suite) => suite.tests.map((entry) => `${entry.title} ${entry.state}`));
  expect(titles).toEqual(['one failed', 'three passed']);
});

test('suites are separate files and clearing removes them all', () => {
  writeResults(root, 'tests', [result('a.test.ts', 'one', 'passed')]);
  writeResults(root, 'e2e', [result('e2e/x.ts', 'two', 'passed')]);
  expect(readResults(root).map((suite) => suite.suite)).toEqual(['e2e', 'tests']);
  clearResults(root);
  expect(readResults(root)).toEqual([]);
});

test('totals count passed and failed, not skipped', () => {
  const sum = totals([result('a', '1', 'passed'), result('a', '2', 'skipped'), result('a', '3', 'failed')]);
  expect(totalsLine(sum)).toBe('1 passed, 1 failed');
});

test('what failed is said with its reason', () => {
  const why = reasonOf('\u001b[31mexpected 1\u001b[39m\nreceived 2\n');
  const lines = failureLines([result('a', 'one', 'passed'), { ...result('b', 'two', 'failed'), why }]);
  expect(lines).toEqual(['FAILED b: two\n  expected 1\n  received 2']);
});

test('what passed only when it was tried again is said with the reason of its failure', () => {
  const unstable = reasonOf('too late');
  const lines = unstableLines([result('a', 'one', 'passed'), { ...result('b', 'two', 'passed'), unstable }]);
  expect(lines).toEqual(['UNSTABLE (passed when tried again) b: two\n  too late']);
});
