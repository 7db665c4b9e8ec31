/** Tests that did not run, by file, with what the file says of the reason in its comments that begin with "Skipped". */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult } from './results.ts';

const reasons = /^ *\/\/ (Skipped .+)$/gm;

/** One line for each file with tests that were skipped. */
export function skippedLines(root: string, tests: readonly TestResult[]): string[] {
  const counts = new Map<string, number>();
  for (const { file, state } of tests) if (state === 'skipped') counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts].map(([file, count]) => {
    const path = join(root, file);
    const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const said = [...source.matchAll(reasons)].map(([, reason]) => reason).join(' ');
    return `SKIPPED ${count} of ${file}: ${said || 'it does not say why ("// Skipped ...")'}`;
  });
}
