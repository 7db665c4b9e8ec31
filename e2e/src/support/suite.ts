/** A small runner of scenario steps: in order, each named like a test, results where `npm run spec` finds them. */
import { join } from 'node:path';
import {
  reasonOf,
  type TestResult,
  totals,
  totalsLine,
  unstableLines,
  writeResults,
} from '../../../scripts/lib/results.ts';

const root = join(import.meta.dirname, '../../..');

export interface Suite {
  /**
   * Runs a step, for at most `seconds` (900): one that does not end by then has failed, and the suite goes on.
   * A failed step is recorded; the steps after it that need it should call `required`.
   */
  step(title: string, run: () => Promise<void>, seconds?: number): Promise<boolean>;
  /** A step without which nothing after it makes sense: its failure ends the scenario. */
  required(title: string, run: () => Promise<void>, seconds?: number): Promise<void>;
  /**
   * Runs the steps of the scenario in `file`, which makes everything that it needs; an error outside its steps fails it.
   * With `again` a scenario that failed runs once more from the beginning: what passes then is told as unstable.
   */
  scenario(file: string, run: () => Promise<void>, again?: boolean): Promise<void>;
  /** How the steps so far ended. */
  readonly results: readonly TestResult[];
}

async function within(seconds: number, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${seconds} s`)), seconds * 1000);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}

class ScenarioEnded extends Error {}

/** Keeps the results under this name, says what they come to, and gives the exit code. */
export function finish(name: string, results: readonly TestResult[]): number {
  writeResults(root, name, [...results]);
  for (const line of unstableLines(results)) console.log(line);
  const sum = totals(results);
  console.log(totalsLine(sum));
  return sum.failed === 0 && sum.passed > 0 ? 0 : 1;
}

/** `whole` is the file that results outside of scenarios are said to be of. */
export function createSuite(whole = 'e2e/src/main.ts'): Suite {
  let file = whole;
  const results: TestResult[] = [];
  const step = async (title: string, run: () => Promise<void>, seconds = 900): Promise<boolean> => {
    const started = performance.now();
    try {
      await within(seconds, run);
      const ms = Math.round(performance.now() - started);
      results.push({ file, title, state: 'passed', ms });
      console.log(`  ok ${title} (${ms} ms)`);
      return true;
    } catch (error) {
      const ms = Math.round(performance.now() - started);
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      results.push({ file, title, state: 'failed', ms, why: reasonOf(why) });
      console.error(`FAIL ${title} (${ms} ms)\n${why}`);
      return false;
    }
  };
  const once = async (run: () => Promise<void>): Promise<void> => {
    try {
      await run();
    } catch (error) {
      // The cause of a scenario's end is recorded already.
      if (error instanceof ScenarioEnded) return;
      await step(`what surrounds the steps of ${file}`, () => Promise.reject(error));
    }
  };
  return {
    step,
    results,
    async scenario(name, run, again = false) {
      const from = results.length;
      file = name;
      await once(run);
      const failed = results.slice(from).filter(({ state }) => state === 'failed');
      if (failed.length === 0 || !again) return;
      console.log(`  ${file} again, from the beginning`);
      results.splice(from);
      await once(run);
      const passed = results.slice(from).filter(({ state }) => state === 'passed');
      for (const { title, why } of failed) {
        const same = passed.find((result) => result.title === title) ?? passed.at(-1);
        if (same) same.unstable = same.title === title ? (why ?? '') : `${title}: ${why}`;
      }
    },
    async required(title, run, seconds) {
      if (!(await step(title, run, seconds))) throw new ScenarioEnded(title);
    },
  };
}
