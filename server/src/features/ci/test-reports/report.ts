/** The test report of a pipeline and its children, put together from what jobs left. */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { CiDependencies } from '../deps.ts';
import { familyOf } from '../downstream/sources.queries.ts';
import { debugLogging, type WriteAccess } from '../jobs/write-access.ts';
import { createCaseCache } from './case-cache.ts';
import { caseKey, caseStatuses, type TestCase } from './junit.ts';
import { unpackedCases } from './stored-cases.ts';
import {
  sumOf,
  type TestCaseJson,
  type TestCounts,
  type TestReportJson,
  type TestReportSummaryJson,
  testReport,
  testReportSummary,
} from './test-reports.entity.ts';
import { reportsOf, type StoredReport, storedCases } from './test-reports.queries.ts';

/** Bytes of cases that one answer has. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** The cases of one job with its id, or why there are none. */
type JobCases = { readonly jobId: number; readonly cases: readonly TestCase[]; readonly error: string | null };

interface Suite {
  readonly name: string;
  readonly reports: readonly StoredReport[];
}

/** With the cases of its jobs. */
export interface ReadSuite extends Suite {
  readonly parts: readonly JobCases[];
}

function bySuite(reports: readonly StoredReport[]): Suite[] {
  const names = [...new Set(reports.map(({ suite_name }) => suite_name))];
  return names.map((name) => ({ name, reports: reports.filter(({ suite_name }) => suite_name === name) }));
}

const countsOf = (row: StoredReport): TestCounts => ({
  total_time: row.total_time,
  total_count: row.success_count + row.failed_count + row.skipped_count + row.error_count,
  success_count: row.success_count,
  failed_count: row.failed_count,
  skipped_count: row.skipped_count,
  error_count: row.error_count,
});

/** A path as an address has it. */
const escaped = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Broken ones first, slow ones before quick ones. */
function sorted(cases: readonly TestCaseJson[]): TestCaseJson[] {
  return caseStatuses.flatMap((status) =>
    cases.filter((each) => each.status === status).sort((a, b) => b.execution_time - a.execution_time),
  );
}

export type TestReports = ReturnType<typeof testReports>;

export function testReports(
  { db, externalUrl }: Pick<CiDependencies, 'db' | 'externalUrl'>,
  access: Pick<WriteAccess, 'mayRead'>,
) {
  const cache = createCaseCache();
  const storedOf = async (pipelineId: number) => reportsOf(db, await familyOf(db, pipelineId));

  async function casesOf(report: StoredReport): Promise<JobCases> {
    const read = async () => {
      const stored = await storedCases(db, report.id);
      return stored ? await unpackedCases(stored) : [];
    };
    const cases = report.suite_error === null ? await cache.of(report.id, report.cases_size, read) : [];
    return { jobId: report.id, cases, error: report.suite_error };
  }

  function caseJson(projectId: number, jobId: number, one: TestCase): TestCaseJson {
    const { attachment } = one;
    const base = `${externalUrl}/api/v4/projects/${projectId}/jobs/${jobId}/artifacts`;
    return {
      status: one.status,
      name: one.name ?? '(No name)',
      classname: one.classname,
      file: one.file,
      execution_time: one.time,
      system_output: one.output,
      stack_trace: null,
      ...(attachment === null ? {} : { attachment_url: `${base}/${escaped(attachment)}` }),
    };
  }

  /** Cases with the same name in several jobs of a suite are one. */
  function suiteJson(projectId: number, { name, reports }: Suite, parts: readonly JobCases[]) {
    const error = parts.find((part) => part.error !== null)?.error ?? null;
    const cases = new Map<string, TestCaseJson>();
    for (const { jobId, cases: some } of error === null ? parts : [])
      for (const one of some) cases.set(`${one.status} ${caseKey(one)}`, caseJson(projectId, jobId, one));
    const shown = sorted([...cases.values()]);
    const count = (status: string) => shown.filter((each) => each.status === status).length;
    return {
      name,
      total_time: error === null ? sumOf(reports.map(countsOf)).total_time : 0,
      total_count: shown.length,
      success_count: count('success'),
      failed_count: count('failed'),
      skipped_count: count('skipped'),
      error_count: count('error'),
      suite_error: error,
      test_cases: shown,
    };
  }

  /** Reports by suite with their cases, as far as the caller may read them and one answer holds them. */
  async function suitesOf(subject: ProjectSubject, caller: Caller, pipelineId: number): Promise<ReadSuite[]> {
    let bytes = 0;
    const suites: ReadSuite[] = [];
    for (const suite of bySuite(await storedOf(pipelineId))) {
      const parts: JobCases[] = [];
      for (const row of suite.reports) {
        const none = (error: string) => parts.push({ jobId: row.id, cases: [], error });
        bytes += row.cases_size;
        if (!(await access.mayRead(subject, caller, row))) none(debugLogging);
        else if (bytes > maxAnswerBytes) none(`the reports of the pipeline are larger than ${maxAnswerBytes} bytes`);
        else parts.push(await casesOf(row));
      }
      suites.push({ ...suite, parts });
    }
    return suites;
  }

  return {
    suitesOf,
    caseJson,
    async report(subject: ProjectSubject, caller: Caller, pipelineId: number): Promise<TestReportJson> {
      const suites = await suitesOf(subject, caller, pipelineId);
      return testReport(suites.map((suite) => suiteJson(subject.project.id, suite, suite.parts)));
    },
    async summary(pipelineId: number): Promise<TestReportSummaryJson> {
      return testReportSummary(
        bySuite(await storedOf(pipelineId)).map(({ name, reports }) => ({
          name,
          ...sumOf(reports.map(countsOf)),
          build_ids: reports.map(({ id }) => id),
          suite_error: reports.find(({ suite_error }) => suite_error !== null)?.suite_error ?? null,
        })),
      );
    },
  };
}
