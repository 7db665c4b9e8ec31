/** Which lines tests reach, beside the changes: apart from other reports, which the changes do without. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from '../../../lib/api.ts';

export const coverageReports = (path: string, iid: number) =>
  queryOptions({
    queryKey: ['project', path, 'merge-request', iid, 'coverage'],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/coverage_reports', {
          params: { path: { id: path, merge_request_iid: iid } },
        }),
      ),
  });
