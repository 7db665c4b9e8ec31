/** Feature flags of a project. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';

export type FeatureFlag = Schemas['FeatureFlag'];
export type Strategy = FeatureFlag['strategies'][number];

const at = (path: string) => ({ path: { id: path } });
export const flagsKey = (path: string) => ['feature-flags', path];

export const featureFlags = (path: string) =>
  infiniteQueryOptions({
    queryKey: [...flagsKey(path), 'list'],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/projects/{id}/feature_flags', {
          params: { ...at(path), query: { per_page: 50, page: pageParam } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const userLists = (path: string) =>
  queryOptions({
    queryKey: [...flagsKey(path), 'user-lists'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/feature_flags_user_lists', { params: { ...at(path), query: { per_page: 100 } } }),
      ),
  });

/** What applications are configured with. */
export const flagsClient = (path: string) =>
  queryOptions({
    queryKey: [...flagsKey(path), 'client'],
    queryFn: () => unwrap(client.GET('/projects/{id}/feature_flags_client', { params: at(path) })),
  });
