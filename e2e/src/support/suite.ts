/** A small runner of scenario steps: in order, each named like a test, results where `npm run spec` finds them. */
import { join } from 'node:path';
import { reasonOf, type TestResult, totals, totalsLine, writeResults } from '../../../scripts/lib/results.ts';

const root = join(import.meta.dirname, '../../..');

export interface Suite {
  /**
   * Runs a step, for at most `seconds` (900): one that does not end by then has failed, and the suite goes on.
   * A failed step is recorded; the steps after it that need it should call `required`.
   */
  step(title: string, run: () => Promise<void>, seconds?: number): Promise<boolean>;
  /** A step without which nothing after it makes sense: its failure ends the scenario. */
  required(title: string, run: () => Promise<void>, seconds?: number): Promise<void>;
  /** How the steps so far ended. */
  readonly results: readonly TestResult[];
  finish(): number;
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

/** True for the error that only ends a scenario; its cause is already recorded. */
export const isScenarioEnd = (error: unknown): boolean => error instanceof ScenarioEnded;

/** `name` is where the results are kept, `file` what they are said to be of. */
export function createSuite(name = 'e2e', file = 'e2e/src/main.ts'): Suite {
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
  return {
    step,
    results,
    async required(title, run, seconds) {
      if (!(await step(title, run, seconds))) throw new ScenarioEnded(title);
    },
    finish() {
      writeResults(root, name, results);
      const sum = totals(results);
      console.log(totalsLine(sum));
      return sum.failed === 0 && sum.passed > 0 ? 0 : 1;
    },
  };
}
