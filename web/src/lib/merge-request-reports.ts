/** Reports of a merge request compared with its target branch, and what the pages of tests and statistics read. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type TestComparison = Schemas['MergeRequestTestReports'];
export type QualityComparison = Schemas['MergeRequestCodeQualityReports'];
export type TerraformPlans = Schemas['MergeRequestTerraformReports'];
export type MetricsComparison = Schemas['MergeRequestMetricsReports'];
export type AccessibilityComparison = Schemas['MergeRequestAccessibilityReports'];
export type ExposedArtifact = Schemas['MergeRequestExposedArtifact'];
export type LicenseComparison = Schemas['MergeRequestLicenseScanningReports'];
export type PerformanceComparison = Schemas['MergeRequestBrowserPerformanceReports'];

/** Below the key of the merge request: they follow what it announces. */
const key = (path: string, iid: number, what: string) => ['project', path, 'merge-request', iid, 'reports', what];
const place = (path: string, merge_request_iid: number) => ({ params: { path: { id: path, merge_request_iid } } });
const base = '/projects/{id}/merge_requests/{merge_request_iid}';

/** All that the overview shows, at once: it is drawn when everything is there. `names`: of the routes that answer something. */
export const mergeRequestReports = (path: string, iid: number, names: readonly string[]) =>
  queryOptions({
    queryKey: [...key(path, iid, 'all'), names],
    queryFn: async () => {
      const asked = <T>(name: string, ask: () => Promise<T>) => (names.includes(name) ? ask() : null);
      const [tests, quality, terraform, metrics, accessibility, licenses, browser, load, exposed] = await Promise.all([
        asked('test_reports', () => unwrap(client.GET(`${base}/test_reports` as const, place(path, iid)))),
        asked('codequality_reports', () =>
          unwrap(client.GET(`${base}/codequality_reports` as const, place(path, iid))),
        ),
        asked('terraform_reports', () => unwrap(client.GET(`${base}/terraform_reports` as const, place(path, iid)))),
        asked('metrics_reports', () => unwrap(client.GET(`${base}/metrics_reports` as const, place(path, iid)))),
        asked('accessibility_reports', () =>
          unwrap(client.GET(`${base}/accessibility_reports` as const, place(path, iid))),
        ),
        asked('license_scanning_reports', () =>
          unwrap(client.GET(`${base}/license_scanning_reports` as const, place(path, iid))),
        ),
        asked('browser_performance_reports', () =>
          unwrap(client.GET(`${base}/browser_performance_reports` as const, place(path, iid))),
        ),
        asked('load_performance_reports', () =>
          unwrap(client.GET(`${base}/load_performance_reports` as const, place(path, iid))),
        ),
        asked('exposed_artifacts', () => unwrap(client.GET(`${base}/exposed_artifacts` as const, place(path, iid)))),
      ]);
      return { tests, quality, terraform, metrics, accessibility, licenses, browser, load, exposed };
    },
  });

export interface TestHistoryFilter {
  readonly page?: number | undefined;
  readonly days?: number | undefined;
  readonly flaky?: boolean | undefined;
}

export const testHistory = (path: string, { page = 1, days = 14, flaky = false }: TestHistoryFilter) =>
  queryOptions({
    queryKey: ['project', path, 'test-history', { page, days, flaky }],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/test_history', {
          params: { path: { id: path }, query: { page, per_page: 20, days, flaky } },
        }),
      ),
  });

export interface StatisticsFilter {
  readonly days?: number | undefined;
  readonly ref?: string | undefined;
}

/** Without another choice. */
export const statisticsDays = 30;

export const pipelineStatistics = (path: string, { days = statisticsDays, ref }: StatisticsFilter) =>
  queryOptions({
    queryKey: ['project', path, 'pipeline-statistics', { days, ref }],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/pipelines/statistics', {
          params: { path: { id: path }, query: { days, ...(ref ? { ref } : {}) } },
        }),
      ),
  });

export const coverageHistory = (path: string, { days = statisticsDays, ref }: StatisticsFilter) =>
  queryOptions({
    queryKey: ['project', path, 'coverage-history', { days, ref }],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/pipelines/coverage', {
          params: { path: { id: path }, query: { days, ...(ref ? { ref } : {}) } },
        }),
      ),
  });
