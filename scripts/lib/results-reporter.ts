/** Vitest reporter: writes the results that `npm run spec` reads and ends with the line `N passed, N failed`. */
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { reasonOf, type TestResult, totals, totalsLine, writeResults } from './results.ts';

type Told = { message?: string; diff?: string; stack?: string };

/** Message, difference and place of each error. */
function whyOf(errors: readonly Told[] = []): string {
  return reasonOf(
    errors
      .flatMap(({ message, diff, stack }) => [message, diff, stack?.split('\n').find((line) => /^ +at /.test(line))])
      .filter((part) => part)
      .join('\n'),
  );
}

function resultsOf(module: TestModule, root: string): TestResult[] {
  const file = relative(root, module.moduleId);
  const results: TestResult[] = [];
  for (const test of module.children.allTests()) {
    const state = test.result().state;
    const ms = Math.round(test.diagnostic()?.duration ?? 0);
    const why = whyOf(test.result().errors);
    const told = state === 'failed' ? { why } : test.diagnostic()?.flaky ? { unstable: why } : {};
    results.push({ file, title: test.fullName, state: state === 'pending' ? 'skipped' : state, ms, ...told });
  }
  // A file that does not load, or a hook that fails, has no failed test of its own: it counts as one.
  if (module.state() === 'failed' && !results.some((result) => result.state === 'failed')) {
    const why = whyOf(module.errors());
    results.push({ file, title: `${file} (file or hook failed)`, state: 'failed', ms: 0, why });
  }
  return results;
}

export function resultsReporter({ root, suite }: { root: string; suite: string }): Reporter {
  return {
    onTestRunEnd(modules, errors) {
      const results = modules.flatMap((module) => resultsOf(module, root));
      for (const error of errors) {
        const why = whyOf([error]);
        results.push({ file: 'vitest', title: `unhandled error: ${error.message}`, state: 'failed', ms: 0, why });
      }
      const times = modules.map((module) => [
        relative(root, module.moduleId),
        Math.round(module.diagnostic().duration),
      ]);
      writeResults(root, suite, results, { files: Object.fromEntries(times) });
      console.log(totalsLine(totals(results)));
    },
  };
}
