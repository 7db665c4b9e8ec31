/** What `.ci/run` leaves behind: which commit was checked, and how each part of it ended. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ciRunFile, resultsFolder, type SuiteResults } from './results.ts';

export interface CiRun {
  /** In full. */
  readonly commit: string;
  /** True where files differed from the commit: then it is not the commit that was checked. */
  readonly changed: boolean;
  /** When it ended. */
  readonly at: string;
  /** Tests and checks, as the last line of the run says. */
  readonly passed: number;
  readonly failed: number;
  /** Tests that passed only when they were tried again. */
  readonly unstable: number;
  /** How long each check and each suite took. */
  readonly seconds: Readonly<Record<string, number>>;
  /** Names of the parts that failed. */
  readonly failures: readonly string[];
}

export interface Part {
  readonly name: string;
  readonly code: number;
  readonly seconds: number;
}

/** Lines of `.ci/run`: name, exit code and seconds, with tabs between. */
export function partsOf(text: string): Part[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', code = '', seconds = ''] = line.split('\t');
      if (name === '' || !/^\d+$/.test(code) || !/^\d+$/.test(seconds)) throw new Error(`not a part: ${line}`);
      return { name, code: Number(code), seconds: Number(seconds) };
    });
}

export type Checked = Pick<CiRun, 'commit' | 'changed' | 'at' | 'passed' | 'failed'>;

export function ciRunOf(checked: Checked, parts: readonly Part[], suites: readonly SuiteResults[]): CiRun {
  const times = [
    ...parts.map(({ name, seconds }) => [name, seconds] as const),
    ...suites.flatMap(({ suite, seconds }) =>
      seconds === undefined ? [] : [[`suite ${suite}`, Math.round(seconds)] as const],
    ),
  ];
  return {
    ...checked,
    unstable: suites.flatMap(({ tests }) => tests).filter(({ unstable }) => unstable !== undefined).length,
    seconds: Object.fromEntries(times),
    failures: parts.filter(({ code }) => code !== 0).map(({ name }) => name),
  };
}

export function writeCiRun(root: string, run: CiRun): void {
  const folder = resultsFolder(root);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, ciRunFile);
  // Whoever looks meanwhile finds a whole file or none.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(run, null, 2)}\n`);
  renameSync(draft, path);
}
