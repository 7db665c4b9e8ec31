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

export interface EnvironmentValues {
  readonly external_url: string;
  readonly description: string;
  readonly tier?: Environment['tier'] | undefined;
  readonly auto_stop_setting: Environment['auto_stop_setting'];
  readonly kubernetes_namespace: string;
  readonly flux_resource_path: string;
}

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

/** The newest deployments of a merge request, one for each environment that runs. */
export const requestDeployments = (id: string, merge_request_iid: number) =>
  queryOptions({
    queryKey: [...environmentsKey(id), 'merge-request', merge_request_iid],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/merge_requests/{merge_request_iid}/deployments', {
          params: { path: { id, merge_request_iid } },
        }),
      ),
  });

/** Environments that only some may deploy to, for those who may see that. */
export const protectedEnvironments = (id: string) =>
  queryOptions({
    queryKey: [...environmentsKey(id), 'protected'],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/protected_environments', { params: { path: { id }, query: { per_page: 100 } } }),
      ),
  });

/** Creates or changes an environment. */
export async function saveEnvironment(
  id: string,
  known: { readonly id: number } | { readonly name: string },
  values: EnvironmentValues,
): Promise<Environment> {
  if ('id' in known)
    return await unwrap(
      client.PUT('/projects/{id}/environments/{environment_id}', { params: one(id, known.id), body: values }),
    );
  return await unwrap(
    client.POST('/projects/{id}/environments', { params: { path: { id } }, body: { ...values, name: known.name } }),
  );
}

export const deleteEnvironment = (id: string, number: number) =>
  unwrap(client.DELETE('/projects/{id}/environments/{environment_id}', { params: one(id, number) }));

/** Runs the job of a deployment again: of the last one it deploys anew, of an older one it rolls back. */
export const redeploy = (id: string, job_id: number) =>
  unwrap(client.POST('/projects/{id}/jobs/{job_id}/retry', { params: { path: { id, job_id } } }));

export const reviewDeployment = (id: string, deployment_id: number, status: 'approved' | 'rejected') =>
  unwrap(
    client.POST('/projects/{id}/deployments/{deployment_id}/approval', {
      params: { path: { id, deployment_id } },
      body: { status },
    }),
  );

/** Runs its stop job, where it has one. */
export const stopEnvironment = (id: string, environment_id: number) =>
  unwrap(
    client.POST('/projects/{id}/environments/{environment_id}/stop', { params: { path: { id, environment_id } } }),
  );
