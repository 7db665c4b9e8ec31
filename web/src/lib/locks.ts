/** Locked files and folders of a project. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type PathLock = Schemas['PathLock'];

export const locksKey = (id: string) => ['project', id, 'locks'];
export const locksOf = (id: string, page: number) =>
  queryOptions({
    queryKey: [...locksKey(id), page],
    queryFn: () =>
      unwrapPage(client.GET('/projects/{id}/path_locks', { params: { path: { id }, query: { page, per_page: 50 } } })),
  });

const pageAt = (id: string, path: string, page: number) =>
  unwrapPage(
    client.GET('/projects/{id}/path_locks', { params: { path: { id }, query: { path, page, per_page: 100 } } }),
  );
/** What the page of a file or folder shows: its own lock, those of folders above it and of the entries in it. */
export const locksAt = (id: string, path: string) =>
  queryOptions({
    queryKey: [...locksKey(id), 'at', path],
    async queryFn() {
      const found: PathLock[] = [];
      let page: number | null = 1;
      while (page !== null) {
        const { items, nextPage } = await pageAt(id, path, page);
        found.push(...items);
        page = nextPage;
      }
      return found;
    },
  });

/** The lock that a path is under: its own, or that of a folder above it. */
export const lockOver = (locks: readonly PathLock[], path: string): PathLock | undefined =>
  locks.find((lock) => path === lock.path || path.startsWith(`${lock.path}/`));

export const lock = (id: string, path: string) =>
  unwrap(client.POST('/projects/{id}/path_locks', { params: { path: { id } }, body: { path } }));

export const unlock = (id: string, lock_id: number, force: boolean) =>
  unwrap(
    client.DELETE('/projects/{id}/path_locks/{lock_id}', {
      params: { path: { id, lock_id }, query: force ? { force } : {} },
    }),
  );
