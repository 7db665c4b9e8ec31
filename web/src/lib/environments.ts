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

/** Runs its stop job, where it has one. */
export const stopEnvironment = (id: string, environment_id: number) =>
  unwrap(
    client.POST('/projects/{id}/environments/{environment_id}/stop', { params: { path: { id, environment_id } } }),
  );
