/** Environments of a project with what was deployed to each last. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Environment = Schemas['Environment'];
export type Deployment = Schemas['Deployment'];

export interface EnvironmentFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
}

export const environmentsKey = (id: string) => ['project', id, 'environments'];

export const environments = (id: string, { page = 1, state = 'available', search }: EnvironmentFilter) =>
  queryOptions({
    queryKey: [...environmentsKey(id), page, state, search],
    async queryFn() {
      const found = await unwrapPage(
        client.GET('/projects/{id}/environments', {
          params: {
            path: { id },
            query: {
              ...{ page, per_page: 20, states: state as 'available' },
              // Shorter texts are refused.
              ...(search && search.length >= 3 ? { search } : {}),
            },
          },
        }),
      );
      const items = await Promise.all(
        found.items.map(({ id: environment_id }) =>
          unwrap(
            client.GET('/projects/{id}/environments/{environment_id}', { params: { path: { id, environment_id } } }),
          ),
        ),
      );
      return { ...found, items };
    },
  });

const one = (id: string, environment_id: number) => ({ path: { id, environment_id } });

/** One that waits for approvals with those that were given. */
export type ListedDeployment = Deployment & { readonly review: Schemas['DeploymentDetail'] | null };

/** With its last deployment that succeeded. */
export const environment = (id: string, number: number) =>
  queryOptions({
    queryKey: [...environmentsKey(id), number],
    queryFn: () => unwrap(client.GET('/projects/{id}/environments/{environment_id}', { params: one(id, number) })),
  });

/** What was deployed to it, the newest first; those that wait for approvals with what they wait for. */
export const deploymentsTo = (id: string, name: string, page = 1) =>
  queryOptions({
    queryKey: [...environmentsKey(id), 'deployments', name, page],
    async queryFn() {
      const query = { environment: name, order_by: 'id', sort: 'desc', page, per_page: 20 } as const;
      const found = await unwrapPage(client.GET('/projects/{id}/deployments', { params: { path: { id }, query } }));
      const items = await Promise.all(
        found.items.map(
          async (item): Promise<ListedDeployment> => ({
            ...item,
            review:
              item.status === 'blocked'
                ? await unwrap(
                    client.GET('/projects/{id}/deployments/{deployment_id}', {
                      params: { path: { id, deployment_id: item.id } },
                    }),
                  )
                : null,
          }),
        ),
      );
      return { ...found, items };
    },
  });
