/** What the administration shows of the instance. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export const overview = () =>
  queryOptions({
    queryKey: ['admin', 'overview'],
    queryFn: () => unwrap(client.GET('/application/overview')),
    refetchInterval: 15_000,
  });

export const usage = () =>
  queryOptions({
    queryKey: ['admin', 'usage'],
    queryFn: () => unwrap(client.GET('/application/usage')),
    refetchInterval: 60_000,
  });

interface ListFilter {
  readonly search?: string | undefined;
  readonly page?: number | undefined;
}

/** All projects of the instance, those out of use included. */
export const everyProject = ({ search, page = 1 }: ListFilter) =>
  queryOptions({
    queryKey: ['admin', 'projects', search ?? '', page],
    queryFn: () => {
      const found = search ? { search, search_namespaces: true } : {};
      const query = {
        ...found,
        page,
        per_page: 20,
        order_by: 'last_activity_at',
        sort: 'desc',
        statistics: true,
      } as const;
      return unwrapPage(client.GET('/projects', { params: { query } }));
    },
  });

export type AnyGroup = Schemas['Group'];
export const everyGroup = ({ search, page = 1 }: ListFilter) =>
  queryOptions({
    queryKey: ['admin', 'groups', search ?? '', page],
    queryFn: () => {
      const query = { ...(search ? { search } : {}), page, per_page: 20, all_available: true };
      return unwrapPage(client.GET('/groups', { params: { query } }));
    },
  });
