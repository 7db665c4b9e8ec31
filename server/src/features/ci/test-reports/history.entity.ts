/** Tests of merge requests compared with the target branch, and the history of failed cases, as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Entity,
  Fields,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import type { ComparedSuite } from './comparison.ts';
import type { CaseHistory } from './failures.queries.ts';
import { type TestCaseJson, testCaseFields } from './test-reports.entity.ts';

/** Cases of each list; more are counted. */
const mostListed = 100;

const FailedCase = Fields({
  ...testCaseFields,
  recent_failures: Sometimes(
    Fields(
      { count: Count({ description: 'Failures within 14 days' }), base_branch: Text() },
      { description: 'Where it failed on the default branch recently' },
    ),
  ),
});
const counts = Fields({
  total: Count(),
  resolved: Count(),
  failed: Count({ description: 'Failed cases, new or not' }),
  errored: Count(),
});
const status = Word(['success', 'failed', 'not_found'], {
  description: '`failed`: tests fail; `not_found`: the merge request has no test reports',
});
const cases = (description: string) => ListOf(FailedCase, { description: `${description}, at most ${mostListed}` });

export const MergeRequestTestReports = Entity('MergeRequestTestReports', {
  base_pipeline_id: Nullable(Id({ description: 'Pipeline with test reports of the target branch' })),
  head_pipeline_id: Nullable(Id({ description: 'Latest pipeline with test reports of the merge request' })),
  status,
  summary: counts,
  suites: ListOf(
    Fields({
      name: Text({ description: 'Name of the job, or of the jobs that share it' }),
      status,
      summary: counts,
      new_failures: cases('They do not fail in the target branch'),
      existing_failures: cases('They fail in both'),
      resolved_failures: cases('They fail in the target branch only'),
      new_errors: cases('They have no error in the target branch'),
      existing_errors: cases('They have errors in both'),
      resolved_errors: cases('They have errors in the target branch only'),
      suite_errors: Nullable(Text({ description: 'Why the reports could not be read' })),
    }),
  ),
});

type FailedCaseJson = Static<typeof FailedCase>;
export type ComparedTestsJson = Static<typeof MergeRequestTestReports>;
type SuiteJson = ComparedTestsJson['suites'][number];

export function suiteJson(
  suite: ComparedSuite,
  shown: (of: ComparedSuite['fresh'][number]) => FailedCaseJson,
): SuiteJson {
  const list = (of: ComparedSuite['fresh'], error: boolean) =>
    of
      .filter(({ one }) => (one.status === 'error') === error)
      .slice(0, mostListed)
      .map(shown);
  const failures = [...suite.fresh, ...suite.existing];
  const errored = failures.filter(({ one }) => one.status === 'error').length;
  return {
    name: suite.name,
    status: failures.length > 0 || suite.error !== null ? 'failed' : 'success',
    summary: {
      total: suite.total,
      resolved: suite.resolved.length,
      failed: failures.length - errored,
      errored,
    },
    new_failures: list(suite.fresh, false),
    existing_failures: list(suite.existing, false),
    resolved_failures: list(suite.resolved, false),
    new_errors: list(suite.fresh, true),
    existing_errors: list(suite.existing, true),
    resolved_errors: list(suite.resolved, true),
    suite_errors: suite.error,
  };
}

export const TestCaseHistory = Entity('TestCaseHistory', {
  suite_name: Text({ description: 'Name of the job, or of the jobs that share it' }),
  classname: Nullable(Text()),
  name: Text(),
  file: Nullable(Text()),
  failures: Count({ description: 'Jobs in which it failed' }),
  flaky_failures: Count({ description: 'Of these, those where it passed in another job of the same commit' }),
  default_branch_failures: Count({ description: 'Of these, those on the default branch' }),
  last_failed_at: Timestamp(),
  last_job_id: Id({ description: 'The newest job in which it failed' }),
});

export const caseHistoryJson = (row: CaseHistory): Static<typeof TestCaseHistory> => ({
  suite_name: row.suite_name,
  classname: row.classname,
  name: row.name,
  file: row.file,
  failures: row.failures,
  flaky_failures: row.flaky_failures,
  default_branch_failures: row.default_branch_failures,
  last_failed_at: row.last_failed_at,
  last_job_id: row.last_job_id,
});

export const failedCaseJson = (
  json: TestCaseJson,
  recent: { readonly count: number; readonly branch: string } | null,
): FailedCaseJson => ({
  ...json,
  ...(recent === null ? {} : { recent_failures: { count: recent.count, base_branch: recent.branch } }),
});
