/** After which failures another attempt follows by itself. */
import { expect, it } from 'vitest';
import { type JobPlan, retriesAfter } from './plan.ts';

const plan = (retry: JobPlan['retry']) => ({ retry }) as JobPlan;
const some = (when: string[], exitCodes: number[] = []) => plan({ max: 1, when, exit_codes: exitCodes });

it.each([
  ['no retry', plan(null), 0, 'script_failure', 1, false],
  ['any failure', some([]), 0, 'script_failure', 1, true],
  ['the last attempt', some([]), 1, 'script_failure', 1, false],
  ['the reason', some(['script_failure']), 0, 'script_failure', 1, true],
  ['another reason', some(['runner_system_failure']), 0, 'script_failure', 1, false],
  ['the exit code', some([], [137]), 0, 'script_failure', 137, true],
  ['another exit code', some([], [137]), 0, 'script_failure', 1, false],
  ['either of both', some(['runner_system_failure'], [137]), 0, 'script_failure', 137, true],
  ['what would fail again', some(['always']), 0, 'missing_dependency_failure', null, false],
  ['a failure of the scheduler, without retry', plan(null), 1, 'scheduler_failure', null, true],
  ['a failure of the scheduler, for the third time', plan(null), 2, 'scheduler_failure', null, false],
  ['a failure of the scheduler, with another retry', some(['script_failure']), 1, 'scheduler_failure', null, true],
])('%s', (_, of, attempt, reason, exitCode, expected) => {
  expect(retriesAfter(of, attempt, reason, exitCode)).toBe(expected);
});
