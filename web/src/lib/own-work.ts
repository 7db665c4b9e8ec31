/** The lists of what waits for the person who is signed in: apart from their number, which every page shows. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, unwrapPage } from './api.ts';
import { wholeRequests } from './merge-requests.ts';
import { currentSession } from './session.ts';

const some = { per_page: 20 };

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
