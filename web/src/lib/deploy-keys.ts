/** Deploy keys of a project, and all that administrators see. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrapAll, unwrapPage } from './api.ts';

export type DeployKey = Schemas['DeployKey'];
export type DeployKeyOfProject = Schemas['DeployKeyOfProject'];

export const deployKeysOf = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'deploy-keys'],
    queryFn: () =>
      unwrapAll(client.GET('/projects/{id}/deploy_keys', { params: { path: { id }, query: { per_page: 100 } } })),
  });

/** Those of all projects, or only those that every project may take. */
export const allDeployKeys = (onlyPublic: boolean) =>
  infiniteQueryOptions({
    queryKey: ['deploy-keys', onlyPublic],
    queryFn: ({ pageParam }) =>
      unwrapPage(
        client.GET('/deploy_keys', { params: { query: { public: onlyPublic, per_page: 50, page: pageParam } } }),
      ),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });
