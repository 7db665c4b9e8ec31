/** How long files of tests take: the slowest of a run, and those of which nobody says why they take so long. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SuiteResults } from './results.ts';

/** What takes longer says why in its first line, after this word. */
const mostSeconds = 20;
const reason = /\bSlow(?:, sampled)?: \w/;

type Duration = { file: string; seconds: number };

/** Each file once, the slowest first. Where a suite does not tell of its files their tests are added up. */
function fileDurations(suites: readonly SuiteResults[]): Duration[] {
  const took = new Map<string, number>();
  for (const { tests, files = {} } of suites) {
    for (const { file, ms } of tests) if (files[file] === undefined) took.set(file, (took.get(file) ?? 0) + ms);
    for (const [file, ms] of Object.entries(files)) took.set(file, ms);
  }
  return [...took]
    .map(([file, ms]) => ({ file, seconds: ms / 1000 }))
    .sort((a, b) => b.seconds - a.seconds || (a.file < b.file ? -1 : 1));
}

const line = (word: string, { file, seconds }: Duration): string => `${word} ${seconds.toFixed(1)} s ${file}`;

export function slowestLines(suites: readonly SuiteResults[], count = 10): string[] {
  return fileDurations(suites)
    .slice(0, count)
    .map((duration) => line('slowest:', duration));
}

/** True of sources whose first line says why they take long. */
export function saysWhySlow(source: string): boolean {
  return reason.test(source.slice(0, source.indexOf('\n')));
}

/** Told and not counted as a failure: on a machine that is busy every file takes long. */
export function unexplainedLines(root: string, suites: readonly SuiteResults[]): string[] {
  return fileDurations(suites)
    .filter(({ file, seconds }) => {
      const path = join(root, file);
      return seconds > mostSeconds && existsSync(path) && !saysWhySlow(readFileSync(path, 'utf8'));
    })
    .map((duration) => `${line('SLOW', duration)}: its first line does not say why ("Slow: ...")`);
}
