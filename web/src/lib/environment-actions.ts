/** What people do with environments, and what only their own pages read: the first page of a project loads none of it. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapAll } from './api.ts';
import { type Environment, environmentsKey } from './environments.ts';

export interface EnvironmentValues {
  readonly external_url: string;
  readonly description: string;
  readonly tier?: Environment['tier'] | undefined;
  readonly auto_stop_setting: Environment['auto_stop_setting'];
  readonly kubernetes_namespace: string;
  readonly flux_resource_path: string;
}

const one = (id: string, environment_id: number) => ({ path: { id, environment_id } });

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
      unwrapAll(
        client.GET('/projects/{id}/protected_environments', { params: { path: { id }, query: { per_page: 100 } } }),
      ),
  });

/** It no longer stops by itself. */
export const cancelAutoStop = (id: string, environmentId: number): Promise<Environment> =>
  unwrap(
    client.POST('/projects/{id}/environments/{environment_id}/cancel_auto_stop', { params: one(id, environmentId) }),
  );

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

export const reviewDeployment = (
  id: string,
  deployment_id: number,
  body: { status: 'approved' | 'rejected'; comment?: string; represented_as?: string },
) =>
  unwrap(
    client.POST('/projects/{id}/deployments/{deployment_id}/approval', {
      params: { path: { id, deployment_id } },
      body,
    }),
  );

/** Runs its stop job, where it has one. */
export const stopEnvironment = (id: string, environment_id: number) =>
  unwrap(
    client.POST('/projects/{id}/environments/{environment_id}/stop', { params: { path: { id, environment_id } } }),
  );
