/** What waits for the person who is signed in: the number in the bar at the top, and the lists of the page behind it. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';
import { counted } from './counted.ts';
import { wholeRequests } from './merge-requests.ts';
import { currentSession } from './session.ts';

const some = { per_page: 20 };

export const workCounts = () =>
  queryOptions({
    queryKey: ['work', 'counts'],
    queryFn: () => unwrap(client.GET('/user_counts')),
    staleTime: 20_000,
    refetchInterval: 60_000,
  });

type Role = 'reviewer' | 'assignee' | 'author';

/** Open merge requests of all projects in which the person has the role, what changed last first. */
export const ownRequests = (role: Role) =>
  infiniteQueryOptions({
    queryKey: ['work', 'merge-requests', role],
    queryFn: async ({ pageParam }) => {
      const id = (await currentSession()).user?.id ?? 0;
      const who =
        role === 'author'
          ? { author_id: id }
          : role === 'reviewer'
            ? { reviewer_id: `${id}` }
            : { assignee_id: `${id}` };
      const query = {
        ...some,
        ...who,
        page: pageParam,
        scope: 'all',
        state: 'opened',
        order_by: 'updated_at',
        with_review_status: true,
      } as const;
      const page = await unwrapPage(client.GET('/merge_requests', { params: { query } }));
      return { ...page, items: wholeRequests(page.items) };
    },
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** Open issues of all projects that the person is to do, what changed last first. */
export const ownIssues = () =>
  infiniteQueryOptions({
    queryKey: ['work', 'issues'],
    queryFn: ({ pageParam }) => {
      const what = {
        scope: 'assigned_to_me',
        state: 'opened',
        order_by: 'updated_at',
        with_labels_details: true,
      } as const;
      return unwrapPage(client.GET('/issues', { params: { query: { ...some, ...what, page: pageParam } } }));
    },
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const failedPipelines = () =>
  infiniteQueryOptions({
    queryKey: ['work', 'failed-pipelines'],
    queryFn: ({ pageParam }) =>
      unwrapPage(client.GET('/user/failed_pipelines', { params: { query: { ...some, page: pageParam } } })),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** `1 merge request needs your review, 2 pipelines failed`; null where nothing waits. */
export function workSentence(counts: {
  readonly assigned_merge_requests: number;
  readonly review_requested_merge_requests: number;
  readonly failed_pipelines: number;
  readonly todos: number;
}): string | null {
  const { review_requested_merge_requests: reviews, assigned_merge_requests: assigned } = counts;
  const { failed_pipelines: failed, todos } = counts;
  const parts = [
    ...(reviews > 0 ? [counted(reviews, 'merge request needs your review', 'merge requests need your review')] : []),
    ...(assigned > 0
      ? [counted(assigned, 'merge request is assigned to you', 'merge requests are assigned to you')]
      : []),
    ...(failed > 0 ? [counted(failed, 'of your pipelines failed', 'of your pipelines failed')] : []),
    ...(todos > 0 ? [counted(todos, 'to-do', 'to-dos')] : []),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
