/** Test reports of pipelines as the API shows them. */
import type { Static } from 'typebox';
import {
  Count,
  Decimal,
  Entity,
  Fields,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Word,
} from '../../../kernel/http/entity.ts';
import { caseStatuses } from './junit.ts';

const counts = {
  total_time: Decimal({ description: 'Seconds' }),
  total_count: Count(),
  success_count: Count(),
  failed_count: Count(),
  skipped_count: Count(),
  error_count: Count(),
};
const suiteError = Nullable(Text({ description: 'Why a report of the suite could not be read' }));

export const testCaseFields = {
  status: Word(caseStatuses),
  name: Text(),
  classname: Nullable(Text()),
  file: Nullable(Text()),
  execution_time: Decimal({ description: 'Seconds' }),
  system_output: Nullable(Text({ description: 'Message and output of a case that did not succeed' })),
  stack_trace: Nullable(Text({ description: 'Null: reports have it in the output' })),
  attachment_url: Sometimes(Text({ description: 'Address of a file in the archive of the job' })),
};
const TestReportCase = Entity('TestReportCase', testCaseFields);
const TestReportSuite = Entity('TestReportSuite', {
  name: Text({ description: 'Name of the job, or of the jobs that share it' }),
  ...counts,
  suite_error: suiteError,
  test_cases: ListOf(TestReportCase),
});
export const TestReport = Entity('TestReport', { ...counts, test_suites: ListOf(TestReportSuite) });

export const TestReportSummary = Entity('TestReportSummary', {
  total: Fields({
    time: Decimal({ description: 'Seconds' }),
    count: Count(),
    success: Count(),
    failed: Count(),
    skipped: Count(),
    error: Count(),
    suite_error: suiteError,
  }),
  test_suites: ListOf(
    Fields({
      name: Text({ description: 'Name of the job, or of the jobs that share it' }),
      ...counts,
      build_ids: ListOf(Id(), { description: 'Ids of the jobs' }),
      suite_error: suiteError,
    }),
  ),
});

export type TestCaseJson = Static<typeof TestReportCase>;
export type TestReportJson = Static<typeof TestReport>;
export type TestReportSummaryJson = Static<typeof TestReportSummary>;
export type TestCounts = Pick<TestReportJson, keyof typeof counts>;
type Suite = Static<typeof TestReportSuite>;
type SuiteSummary = TestReportSummaryJson['test_suites'][number];

const none: TestCounts = {
  total_time: 0,
  total_count: 0,
  success_count: 0,
  failed_count: 0,
  skipped_count: 0,
  error_count: 0,
};

export const sumOf = (parts: readonly TestCounts[]): TestCounts =>
  parts.reduce<TestCounts>(
    (sum, part) => ({
      total_time: sum.total_time + part.total_time,
      total_count: sum.total_count + part.total_count,
      success_count: sum.success_count + part.success_count,
      failed_count: sum.failed_count + part.failed_count,
      skipped_count: sum.skipped_count + part.skipped_count,
      error_count: sum.error_count + part.error_count,
    }),
    none,
  );

export const testReport = (suites: readonly Suite[]): TestReportJson => ({
  ...sumOf(suites),
  test_suites: [...suites],
});

export function testReportSummary(suites: readonly SuiteSummary[]): TestReportSummaryJson {
  const all = sumOf(suites);
  return {
    total: {
      time: all.total_time,
      count: all.total_count,
      success: all.success_count,
      failed: all.failed_count,
      skipped: all.skipped_count,
      error: all.error_count,
      suite_error: suites.find(({ suite_error }) => suite_error !== null)?.suite_error ?? null,
    },
    test_suites: [...suites],
  };
}
