/** A small runner of scenario steps: in order, each named like a test, results where `npm run spec` finds them. */
import { join } from 'node:path';
import { type TestResult, totals, totalsLine, writeResults } from '../../../scripts/lib/results.ts';

const root = join(import.meta.dirname, '../../..');

export interface Suite {
  /**
   * Runs a step, for at most `seconds` (300): one that does not end by then has failed, and the suite goes on.
   * A failed step is recorded; the steps after it that need it should call `required`.
   */
  step(title: string, run: () => Promise<void>, seconds?: number): Promise<boolean>;
  /** A step without which nothing after it makes sense: its failure ends the scenario. */
  required(title: string, run: () => Promise<void>, seconds?: number): Promise<void>;
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

export function createSuite(): Suite {
  const results: TestResult[] = [];
  const step = async (title: string, run: () => Promise<void>, seconds = 300): Promise<boolean> => {
    const started = performance.now();
    try {
      await within(seconds, run);
      const ms = Math.round(performance.now() - started);
      results.push({ file: 'e2e/src/main.ts', title, state: 'passed', ms });
      console.log(`  ok ${title} (${ms} ms)`);
      return true;
    } catch (error) {
      const ms = Math.round(performance.now() - started);
      results.push({ file: 'e2e/src/main.ts', title, state: 'failed', ms });
      console.error(
        `FAIL ${title} (${ms} ms)\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      return false;
    }
  };
  return {
    step,
    async required(title, run, seconds) {
      if (!(await step(title, run, seconds))) throw new ScenarioEnded(title);
    },
    finish() {
      writeResults(root, 'e2e', results);
      const sum = totals(results);
      console.log(totalsLine(sum));
      return sum.failed === 0 && sum.passed > 0 ? 0 : 1;
    },
  };
}
