/** The vulnerabilities that an issue is linked to. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrapAll } from './api.ts';

/** Of an issue; those that the person may see. */
export const relatedVulnerabilities = (project: string, issue_iid: number) =>
  queryOptions({
    // Below the key of the issue: it follows what that announces.
    queryKey: ['project', project, 'issue', issue_iid, 'vulnerabilities'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/issues/{issue_iid}/related_vulnerabilities', {
          params: { path: { id: project, issue_iid }, query: { per_page: 100 } },
        }),
      ),
  });
