/** Test results on disk: what `npm test` sums up and what `npm run spec` reads. One file per suite in .results/. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export type TestState = 'passed' | 'failed' | 'skipped';
/**
 * `file` is relative to the checkout; `title` is the full title, suites included. A test that failed may say why, in its
 * first lines; one that passed only when it was tried again says in `unstable` why it failed before.
 */
export type TestResult = {
  file: string;
  title: string;
  state: TestState;
  ms: number;
  why?: string;
  unstable?: string;
};
/** `files` is how long each file took, its hooks included; `seconds` how long the suite took from start to end. */
export type SuiteResults = { suite: string; tests: TestResult[]; files?: Record<string, number>; seconds?: number };
export type Totals = { passed: number; failed: number };

/** The folder also has what the last complete check left (ci-run.ts): it says of itself which commit it is about. */
export function resultsFolder(root: string): string {
  return join(root, '.results');
}
/** What `.ci/run` leaves in the folder. */
export const ciRunFile = 'ci-run.json';
const namesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== ciRunFile)
    .sort();

/** Reads every suite's results; a missing folder is an empty list, a damaged file is an error. */
export function readResults(root: string): SuiteResults[] {
  const folder = resultsFolder(root);
  if (!existsSync(folder)) return [];
  return namesIn(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as SuiteResults);
}

export function clearResults(root: string): void {
  const folder = resultsFolder(root);
  if (existsSync(folder)) for (const name of namesIn(folder)) rmSync(join(folder, name), { force: true });
}

/** What is told of a suite besides its tests. */
export type SuiteTimes = { files?: Record<string, number>; seconds?: number };

/**
 * Writes one suite. Results of files that were not part of this run and still exist are kept, so that running one file
 * does not forget the others.
 */
export function writeResults(root: string, suite: string, tests: TestResult[], times: SuiteTimes = {}): void {
  const folder = resultsFolder(root);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${suite}.json`);
  const ran = new Set(tests.map((test) => test.file));
  const stays = (file: string): boolean => !ran.has(file) && existsSync(join(root, file));
  const earlier = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SuiteResults) : { suite, tests: [] };
  const kept = earlier.tests.filter(({ file }) => stays(file));
  const all = [...kept, ...tests].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
  const files = {
    ...Object.fromEntries(Object.entries(earlier.files ?? {}).filter(([file]) => stays(file))),
    ...times.files,
  };
  const results: SuiteResults = {
    suite,
    tests: all,
    files,
    ...(times.seconds === undefined ? {} : { seconds: times.seconds }),
  };
  // Two runs may end at once: a rename leaves one whole file, never half of one.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(results, null, 1)}\n`);
  renameSync(draft, path);
}

export function totals(tests: readonly TestResult[]): Totals {
  const count = (state: TestState): number => tests.filter((test) => test.state === state).length;
  return { passed: count('passed'), failed: count('failed') };
}

export function totalsLine({ passed, failed }: Totals): string {
  return `${passed} passed, ${failed} failed`;
}

const paragraph = (word: string, { file, title }: TestResult, why = ''): string =>
  `${word} ${file}: ${title}${why === '' ? '' : `\n  ${why}`}`;

/** One paragraph for each failed test: its file, its title and the beginning of its reason. */
export function failureLines(tests: readonly TestResult[]): string[] {
  return tests.filter(({ state }) => state === 'failed').map((test) => paragraph('FAILED', test, test.why));
}

/** The same for each test that passed only when it was tried again: a defect, of the test or of the product. */
export function unstableLines(tests: readonly TestResult[]): string[] {
  return tests
    .filter(({ unstable }) => unstable !== undefined)
    .map((test) => paragraph('UNSTABLE (passed when tried again)', test, test.unstable));
}

/** What a reason keeps of an error: `text` without colours, at most 1,500 characters, indented as one block. */
export function reasonOf(text: string): string {
  return stripVTControlCharacters(text).slice(0, 1500).trim().replaceAll('\n', '\n  ');
}
