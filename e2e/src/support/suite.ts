/** A small runner of scenario steps: in order, each named like a test, results where `npm run spec` finds them. */
import { join } from 'node:path';
import { type TestResult, totals, totalsLine, writeResults } from '../../../scripts/lib/results.ts';

const root = join(import.meta.dirname, '../../..');

export interface Suite {
  /** Runs a step. A failed step is recorded; the steps after it that need it should call `required`. */
  step(title: string, run: () => Promise<void>): Promise<boolean>;
  /** A step without which nothing after it makes sense: its failure ends the scenario. */
  required(title: string, run: () => Promise<void>): Promise<void>;
  finish(): number;
}

class ScenarioEnded extends Error {}

/** True for the error that only ends a scenario; its cause is already recorded. */
export const isScenarioEnd = (error: unknown): boolean => error instanceof ScenarioEnded;

export function createSuite(): Suite {
  const results: TestResult[] = [];
  const step = async (title: string, run: () => Promise<void>): Promise<boolean> => {
    const started = performance.now();
    try {
      await run();
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
    async required(title, run) {
      if (!(await step(title, run))) throw new ScenarioEnded(title);
    },
    finish() {
      writeResults(root, 'e2e', results);
      const sum = totals(results);
      console.log(totalsLine(sum));
      return sum.failed === 0 && sum.passed > 0 ? 0 : 1;
    },
  };
}
