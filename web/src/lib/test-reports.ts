/** What the pages of pipelines read of tests. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type TestSuite = Schemas['TestReportSuite'];
export type TestCase = Schemas['TestReportCase'];

/** Below the key of the pipeline: both follow what it announces. */
const key = (path: string, id: number) => ['project', path, 'pipeline', id] as const;
const parameters = (path: string, id: number) => ({ params: { path: { id: path, pipeline_id: id } } });

export const testSummary = (path: string, id: number) =>
  queryOptions({
    queryKey: [...key(path, id), 'test-summary'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/pipelines/{pipeline_id}/test_report_summary', parameters(path, id))),
  });

export const testReport = (path: string, id: number) =>
  queryOptions({
    queryKey: [...key(path, id), 'test-report'],
    queryFn: () => unwrap(client.GET('/projects/{id}/pipelines/{pipeline_id}/test_report', parameters(path, id))),
  });

/** `2 failed, 1 error, 30 passed, 4 skipped`: only what there is. */
export function testCounts(of: { failed: number; error: number; success: number; skipped: number }): string {
  const parts = [
    of.failed > 0 ? `${of.failed} failed` : null,
    of.error > 0 ? `${of.error} ${of.error === 1 ? 'error' : 'errors'}` : null,
    of.success > 0 ? `${of.success} passed` : null,
    of.skipped > 0 ? `${of.skipped} skipped` : null,
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(', ') : 'No tests';
}
