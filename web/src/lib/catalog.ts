/** The catalog of CI/CD components: projects that publish them, their versions, and what each component asks for. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type CatalogVersion = Schemas['CatalogVersion'];
export type CatalogComponent = CatalogVersion['components'][number];

export type CatalogSort = 'stars' | 'released_at' | 'name' | 'created_at';

/** The parameters of a project's page, from its full path. */
export function catalogParams(path: string): { group: string; _splat: string } {
  const slash = path.indexOf('/');
  return { group: path.slice(0, slash), _splat: path.slice(slash + 1) };
}

export const catalogItems = (search: string | undefined, sort: CatalogSort) =>
  infiniteQueryOptions({
    queryKey: ['catalog', 'list', search, sort],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/catalog', {
          params: { query: { per_page: 50, page: pageParam, sort, ...(search ? { search } : {}) } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const catalogResource = (id: string) =>
  queryOptions({
    queryKey: ['catalog', 'resource', id],
    queryFn: () => unwrap(client.GET('/projects/{id}/catalog', { params: { path: { id } } })),
  });

/** The same for the settings of a project: asked anew, for what was added or removed. */
export const catalogSetting = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'catalog'],
    queryFn: () => unwrap(client.GET('/projects/{id}/catalog', { params: { path: { id } } })),
  });

export const catalogVersions = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['catalog', 'versions', id],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/projects/{id}/catalog/versions', {
          params: { path: { id }, query: { per_page: 20, page: pageParam } },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const catalogVersion = (id: string, version: string) =>
  queryOptions({
    queryKey: ['catalog', 'version', id, version],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/catalog/versions/{version}', { params: { path: { id, version } } })),
  });
