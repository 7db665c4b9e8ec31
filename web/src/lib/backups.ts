/** Backups of the instance and their schedule. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Backup = Schemas['Backup'];

export const backups = () =>
  infiniteQueryOptions({
    queryKey: ['backups', 'list'],
    queryFn: ({ pageParam }) =>
      unwrapPage(client.GET('/admin/backups', { params: { query: { per_page: 20, page: pageParam } } })),
    initialPageParam: 1,
    getNextPageParam: (last) => last.nextPage,
  });

export const backupSchedule = () =>
  queryOptions({
    queryKey: ['backups', 'schedule'],
    queryFn: () => unwrap(client.GET('/admin/backup_schedule')),
  });

/** Whether its files are there. */
export const isKept = ({ status, removed_at }: Backup) => status === 'finished' && removed_at === null;
