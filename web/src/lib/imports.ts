/** Imports of projects as lists: one's own, and those of the instance. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrapPage } from './api.ts';

export type ImportListed = Schemas['ImportListed'];

export const inProgress = ({ import_status: status }: ImportListed) => status === 'scheduled' || status === 'started';

/** Asked again while something in it goes on. */
export const imports = (whose: 'user' | 'admin', page = 1) =>
  queryOptions({
    queryKey: ['imports', whose, page],
    queryFn: () => {
      const options = { params: { query: { page, per_page: 20 } } };
      return unwrapPage(
        whose === 'user' ? client.GET('/user/imports', options) : client.GET('/admin/imports', options),
      );
    },
    refetchInterval: ({ state }) => (state.data?.items.some(inProgress) ? 2_000 : false),
  });

/** How much is done, in percent; null where the parts are not known. */
export function shareOf({ import_status: status, stages, finished_stages: done }: ImportListed): number | null {
  if (status === 'finished') return 100;
  return stages.length === 0 ? null : Math.round((100 * done.length) / stages.length);
}
