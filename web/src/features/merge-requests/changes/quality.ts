/** What code quality tools found in the changes, beside the lines: apart from other reports, which the changes do without. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../../lib/api.ts';
import type { Findings } from '../../../ui/diff/findings.tsx';

/** Findings that the change did not bring are among them: the lines are shown all the same. */
function byLine(report: Schemas['MergeRequestCodeQualityReports']): Findings {
  const found = [...report.new_errors, ...report.existing_errors].filter(({ line }) => line !== null);
  const files = [...Map.groupBy(found, ({ file_path: path }) => path)].map(
    ([path, own]): [string, Findings[string]] => [
      path,
      Object.fromEntries(Map.groupBy(own, ({ line }) => String(line))),
    ],
  );
  return Object.fromEntries(files);
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
