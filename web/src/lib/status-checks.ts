/** External status checks of a project, and what they said of a merge request. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrapAll } from './api.ts';

export const statusChecks = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'status-checks'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/external_status_checks', {
          params: { path: { id: path }, query: { per_page: 100 } },
        }),
      ),
  });

export const statusChecksOf = (path: string, merge_request_iid: number, sha: string | null) =>
  queryOptions({
    // Below the merge request: asked again when that changes, and of each head.
    queryKey: ['project', path, 'merge-request', merge_request_iid, 'status-checks', sha],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/status_checks', {
          params: { path: { id: path, merge_request_iid }, query: { per_page: 100 } },
        }),
      ),
  });
