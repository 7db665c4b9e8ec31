/** What is told of tests that did not run. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { TestResult, TestState } from './results.ts';
import { skippedLines } from './skipped.ts';

const root = mkdtempSync(join(tmpdir(), 'skipped-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const result = (file: string, state: TestState): TestResult => ({ file, title: state, state, ms: 1 });

test('each file with skipped tests says why, or that it does not', () => {
  writeFileSync(
    join(root, 'a.test.ts'),
    '/** A. */\n// Skipped without root: it is needed.\n  // Skipped on Mondays.\n',
  );
  writeFileSync(join(root, 'b.test.ts'), '/** B. Skipped now and then. */\n');
  const tests = [
    result('a.test.ts', 'skipped'),
    result('a.test.ts', 'skipped'),
    result('a.test.ts', 'passed'),
    result('b.test.ts', 'skipped'),
    result('c.test.ts', 'failed'),
  ];
  expect(skippedLines(root, tests)).toEqual([
    'SKIPPED 2 of a.test.ts: Skipped without root: it is needed. Skipped on Mondays.',
    'SKIPPED 1 of b.test.ts: it does not say why ("// Skipped ...")',
  ]);
});
