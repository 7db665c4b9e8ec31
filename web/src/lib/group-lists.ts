/** Pipelines and activity of all projects below a group. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrapPage } from './api.ts';

export const groupEvents = (id: string, page: number) =>
  queryOptions({
    queryKey: ['group', id, 'events', page],
    queryFn: () =>
      unwrapPage(client.GET('/groups/{id}/events', { params: { path: { id }, query: { page, per_page: 20 } } })),
  });

/** What stands in the address of the pipelines of a project or group. */
export interface PipelineSearch {
  readonly page?: number | undefined;
  readonly ref?: string | undefined;
  readonly status?: string | undefined;
  readonly source?: string | undefined;
  readonly username?: string | undefined;
}

export const groupPipelines = (id: string, { page = 1, ...filter }: PipelineSearch) =>
  queryOptions({
    queryKey: ['group', id, 'pipelines', page, filter],
    queryFn: () =>
      unwrapPage(
        client.GET('/groups/{id}/pipelines', {
          params: { path: { id }, query: { page, per_page: 20, ...filter, status: filter.status as 'success' } },
        }),
      ),
  });
