/** Issues, merge requests, pipelines and activity of all projects below a group. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrap, unwrapPage } from './api.ts';

/** What stands in the address of such a list. */
export interface GroupListFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
}

const queryOf = ({ page = 1, state, search }: GroupListFilter) => ({
  ...{ page, per_page: 20, with_labels_details: true, scope: 'all' as const },
  ...{ order_by: 'updated_at' as const, ...(search ? { search } : {}) },
  state: (state ?? 'opened') as 'opened',
});

export const groupIssues = (id: string, filter: GroupListFilter) =>
  queryOptions({
    queryKey: ['group', id, 'issues', filter],
    queryFn: () => unwrapPage(client.GET('/groups/{id}/issues', { params: { path: { id }, query: queryOf(filter) } })),
  });

export const groupMergeRequests = (id: string, filter: GroupListFilter) =>
  queryOptions({
    queryKey: ['group', id, 'merge-requests', filter],
    queryFn: () =>
      unwrapPage(client.GET('/groups/{id}/merge_requests', { params: { path: { id }, query: queryOf(filter) } })),
  });

const words = (search: string | undefined) => ({ scope: 'all' as const, ...(search ? { search } : {}) });

/** How many of a group's issues match in each state. */
export const groupIssueCounts = (id: string, { search }: GroupListFilter) =>
  queryOptions({
    queryKey: ['group', id, 'issues', 'counts', search],
    queryFn: async () => {
      const params = { path: { id }, query: words(search) };
      return (await unwrap(client.GET('/groups/{id}/issues_statistics', { params }))).statistics.counts;
    },
  });

/** How many of a group's merge requests match in each state. */
export const groupMergeRequestCounts = (id: string, { search }: GroupListFilter) =>
  queryOptions({
    queryKey: ['group', id, 'merge-requests', 'counts', search],
    queryFn: async () => {
      const params = { path: { id }, query: words(search) };
      return (await unwrap(client.GET('/groups/{id}/merge_requests_statistics', { params }))).statistics.counts;
    },
  });

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
