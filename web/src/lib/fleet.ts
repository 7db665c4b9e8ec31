/** Versions and usage of all runners. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';

export type UsageGroup = 'runner' | 'project';

/** The month in UTC, as the usage names it. */
export const thisMonth = () => new Date().toISOString().slice(0, 7);

export const runnerVersions = queryOptions({
  queryKey: ['runner-fleet', 'versions'],
  queryFn: () => unwrap(client.GET('/admin/runners/versions')),
});

export const runnerUsage = (group_by: UsageGroup, month: string) =>
  infiniteQueryOptions({
    queryKey: ['runner-fleet', 'usage', group_by, month],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/admin/runners/usage', { params: { query: { group_by, month, per_page: 50, page: pageParam } } }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });
