/** What code quality tools found in the changes, beside the lines: apart from other reports, which the changes do without. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../../lib/api.ts';
import type { Findings, LineFinding } from '../../../ui/diff/findings.tsx';

/** Findings that the change did not bring are among them: the lines are shown all the same. */
function byLine(report: Schemas['MergeRequestCodeQualityReports']): Findings {
  const files: Record<string, Record<string, LineFinding[]>> = {};
  for (const { file_path: path, line, ...finding } of [...report.new_errors, ...report.existing_errors]) {
    if (line === null) continue;
    const lines = (files[path] ??= {});
    (lines[String(line)] ??= []).push(finding);
  }
  return files;
}

export const qualityFindings = (path: string, iid: number) =>
  queryOptions({
    queryKey: ['project', path, 'merge-request', iid, 'quality'],
    queryFn: async () =>
      byLine(
        await unwrap(
          client.GET('/projects/{id}/merge_requests/{merge_request_iid}/codequality_reports', {
            params: { path: { id: path, merge_request_iid: iid } },
          }),
        ),
      ),
  });
