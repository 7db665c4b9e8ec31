/** After which failures another attempt follows by itself. */
import { expect, it } from 'vitest';
import { type JobPlan, noticedAs, retriesAfter } from './plan.ts';

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
  expect(retriesAfter(of, attempt, [reason], exitCode)).toBe(expected);
});

it.each([
  ['stuck_or_timeout_failure', 'running', 'no_updates_running', true],
  ['stuck_or_timeout_failure', 'running', 'no_updates_canceling', false],
  ['stuck_or_timeout_failure', 'canceling', 'no_updates_canceling', true],
  ['stuck_or_timeout_failure', 'pending', 'stuck_pending_no_matching_runners', true],
  ['stuck_or_timeout_failure', 'pending', 'no_updates_running', false],
  ['job_execution_timeout', 'running', 'server_timeout_running', true],
  ['job_execution_timeout', 'running', 'job_execution_timeout', true],
  ['script_failure', 'running', 'no_updates_running', false],
])('%s that the server noticed of a %s job, for %s: %s', (reason, status, when, expected) => {
  expect(retriesAfter(some([when]), 0, noticedAs(reason, status), null)).toBe(expected);
});
