/** Background jobs of the instance. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type BackgroundJob = Schemas['BackgroundJob'];

export const jobStatuses = ['failed', 'running', 'ready', 'delayed'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const backgroundJobs = (status: JobStatus | undefined) =>
  infiniteQueryOptions({
    queryKey: ['background-jobs', status ?? 'all'],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/admin/background_jobs', {
          params: { query: { per_page: 50, page: pageParam, ...(status ? { status } : {}) } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

/** How far the index of code is; asked again while something is not ready. */
export const codeIndexes = () =>
  queryOptions({
    queryKey: ['code-indexes'],
    queryFn: () => unwrap(client.GET('/admin/code_indexes')),
    refetchInterval: ({ state }) => ((state.data?.unfinished.length ?? 0) > 0 ? 3_000 : false),
  });
