/** Issues that continue threads of a merge request. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap } from './api.ts';

/** What such an issue starts with; null where it continues none. */
export const followUp = (id: string, request: number | undefined, thread: string | undefined) =>
  queryOptions({
    queryKey: ['project', id, 'merge-request', request, 'follow-up', thread],
    queryFn: () =>
      request === undefined
        ? null
        : unwrap(
            client.GET('/projects/{id}/merge_requests/{merge_request_iid}/follow_up_issue', {
              params: {
                path: { id, merge_request_iid: request },
                query: thread === undefined ? {} : { discussion_to_resolve: thread },
              },
            }),
          ),
  });
