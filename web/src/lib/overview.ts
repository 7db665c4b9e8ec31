/** What the overview of the administration asks of the API. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export const overview = () =>
  queryOptions({
    queryKey: ['admin', 'overview'],
    queryFn: () => unwrap(client.GET('/application/overview')),
    refetchInterval: 15_000,
  });

export const taskStates = ['failed', 'running', 'ready', 'delayed'] as const;
export interface TaskFilter {
  readonly state?: (typeof taskStates)[number] | undefined;
  readonly page?: number | undefined;
}

export const backgroundTasks = ({ state, page = 1 }: TaskFilter) =>
  queryOptions({
    queryKey: ['admin', 'background-tasks', state ?? '', page],
    queryFn: () => {
      const query = { page, per_page: 50, ...(state ? { state } : {}) };
      return unwrapPage(client.GET('/application/background_tasks', { params: { query } }));
    },
    refetchInterval: 15_000,
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
