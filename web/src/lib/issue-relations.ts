/** What an issue has to do with other issues and with merge requests. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';

/** Those that the person may see. */
export const linkedIssues = (project: string, issue_iid: number) =>
  queryOptions({
    // Below the key of the issue: it follows what that announces.
    queryKey: ['project', project, 'issue', issue_iid, 'links'],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/issues/{issue_iid}/links', { params: { path: { id: project, issue_iid } } })),
  });

export const relatedRequests = (project: string, issue_iid: number) =>
  queryOptions({
    queryKey: ['project', project, 'issue', issue_iid, 'requests'],
    queryFn: async () =>
      (
        await unwrapPage(
          client.GET('/projects/{id}/issues/{issue_iid}/related_merge_requests', {
            params: { path: { id: project, issue_iid }, query: { per_page: 50 } },
          }),
        )
      ).items,
  });
