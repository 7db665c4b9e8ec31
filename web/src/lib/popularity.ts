/** Who has to do with a project without being a member: its forks, who gave it a star, who wrote its commits. */
import { queryOptions } from '@tanstack/react-query';
import { client, unwrapPage } from './api.ts';
import { type NamedFilter, pageOf, perPage } from './history.ts';

export const forkList = (path: string, filter: NamedFilter) =>
  queryOptions({
    queryKey: ['project', path, 'forks', filter],
    queryFn: () =>
      unwrapPage(client.GET('/projects/{id}/forks', { params: { path: { id: path }, query: pageOf(filter) } })),
  });

export const starrerList = (path: string, filter: NamedFilter) =>
  queryOptions({
    queryKey: ['project', path, 'starrers', filter],
    queryFn: () =>
      unwrapPage(client.GET('/projects/{id}/starrers', { params: { path: { id: path }, query: pageOf(filter) } })),
  });

/** Who wrote the commits of a ref, those with the most of them first. */
export const contributorList = (path: string, ref: string, page: number) =>
  queryOptions({
    queryKey: ['project', path, 'contributors', ref, page],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/repository/contributors', {
          params: { path: { id: path }, query: { ref, page, per_page: perPage, order_by: 'commits', sort: 'desc' } },
        }),
      ),
  });
