/** What jobs of a project store: caches and artifacts. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';

export const jobCaches = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['project', id, 'job-caches', 'list'],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/projects/{id}/ci/caches', {
          params: { path: { id }, query: { per_page: 50, page: pageParam } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const jobCacheStatistics = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'job-caches', 'statistics'],
    queryFn: () => unwrap(client.GET('/projects/{id}/ci/caches/statistics', { params: { path: { id } } })),
  });

export const artifactStatistics = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'artifact-statistics'],
    queryFn: () => unwrap(client.GET('/projects/{id}/ci/artifacts/statistics', { params: { path: { id } } })),
  });
