/** What the instance tells everybody: SSH host keys, limits and sizes; and where git finds a project. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from './api.ts';

export type InstanceConfiguration = Schemas['InstanceConfiguration'];

export const configuration = () =>
  queryOptions({
    queryKey: ['instance-configuration'],
    queryFn: () => unwrap(client.GET('/instance_configuration')),
    staleTime: 60_000,
  });

/** Only addresses that git can use here and now. */
export const gitAddresses = (path: string) =>
  queryOptions({
    queryKey: ['project', path, 'git-addresses'],
    queryFn: () => unwrap(client.GET('/projects/{id}/git_addresses', { params: { path: { id: path } } })),
    staleTime: 60_000,
  });
