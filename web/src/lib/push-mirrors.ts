/** Push mirrors of a project. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrapAll } from './api.ts';

export type PushMirror = Schemas['RemoteMirror'];

const waiting = ['scheduled', 'started', 'to_retry'];

export const pushMirrors = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'push-mirrors'],
    queryFn: () =>
      unwrapAll(client.GET('/projects/{id}/remote_mirrors', { params: { path: { id }, query: { per_page: 100 } } })),
    // Until all of them are through.
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ update_status }) => waiting.includes(update_status)) ? 2000 : false,
  });
