/** Mirrors of a project: repositories that it is pushed to, and the one that it follows. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapAll } from './api.ts';

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

/** The public key of a mirror over SSH. */
export const mirrorKey = (id: string, mirror: number) =>
  queryOptions({
    queryKey: ['project', id, 'mirror-key', String(mirror)],
    queryFn: (): Promise<Schemas['RemoteMirrorPublicKey']> =>
      unwrap(
        client.GET('/projects/{id}/remote_mirrors/{mirror_id}/public_key', {
          params: { path: { id, mirror_id: mirror } },
        }),
      ),
  });

export type PublicKey = ReturnType<typeof mirrorKey>;

export type PullMirror = Schemas['PullMirror'];

/** The pull mirror of a project that has one. */
export const pullMirror = (id: string) =>
  queryOptions({
    queryKey: ['project', id, 'pull-mirror'],
    queryFn: () => unwrap(client.GET('/projects/{id}/mirror/pull', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => (data && waiting.includes(data.update_status) ? 2000 : false),
  });

export const pullMirrorKey = (id: string): PublicKey =>
  queryOptions({
    // Below the key of the mirror: another address has another key pair.
    queryKey: ['project', id, 'pull-mirror', 'key'],
    queryFn: () => unwrap(client.GET('/projects/{id}/mirror/pull/public_key', { params: { path: { id } } })),
  });
