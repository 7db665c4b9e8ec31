/** Packages of a project. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll, unwrapPage } from './api.ts';

export type Package = Schemas['Package'];
export type PackageFile = Schemas['PackageFile'];

export const packagesKey = (id: string) => ['project', id, 'packages'];

/** The newest first. */
export const packages = (id: string, search: string) =>
  infiniteQueryOptions({
    queryKey: [...packagesKey(id), 'list', search],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/projects/{id}/packages', {
          params: {
            path: { id },
            query: { per_page: 50, page: pageParam, sort: 'desc', ...(search ? { package_name: search } : {}) },
          },
        }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const onePackage = (id: string, package_id: number) =>
  queryOptions({
    queryKey: [...packagesKey(id), package_id],
    queryFn: () => unwrap(client.GET('/projects/{id}/packages/{package_id}', { params: { path: { id, package_id } } })),
  });

export const packageFiles = (id: string, package_id: number) =>
  queryOptions({
    queryKey: [...packagesKey(id), package_id, 'files'],
    queryFn: () =>
      unwrapAll(
        client.GET('/projects/{id}/packages/{package_id}/package_files', {
          params: { path: { id, package_id }, query: { per_page: 100 } },
        }),
      ),
  });
