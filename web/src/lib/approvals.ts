/** Approvals of a merge request: who has approved, and what is left. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type Approvals = Schemas['MergeRequestApprovals'];

export const approvalsOf = (id: string, iid: number) =>
  queryOptions({
    queryKey: ['project', id, 'merge-request', iid, 'approvals'],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/approvals', {
          params: { path: { id, merge_request_iid: iid } },
        }),
      ),
  });
