/** Locked files of a project. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type FileLock = Schemas['LfsFileLock'];

export const locksKey = (id: string) => ['project', id, 'locks'];
export const locksOf = (id: string, page: number) =>
  queryOptions({
    queryKey: [...locksKey(id), page],
    queryFn: () =>
      unwrapPage(client.GET('/projects/{id}/lfs_locks', { params: { path: { id }, query: { page, per_page: 50 } } })),
  });

export const unlock = (id: string, lock_id: number, force: boolean) =>
  unwrap(
    client.DELETE('/projects/{id}/lfs_locks/{lock_id}', {
      params: { path: { id, lock_id }, query: force ? { force } : {} },
    }),
  );
