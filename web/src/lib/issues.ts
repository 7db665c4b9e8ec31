/** Issues of a project: lists, one of them with its description as HTML. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';
import type { IssueFilter } from './issue-filters.ts';
import { filterQuery, orderQuery } from './issue-queries.ts';
import type { PlaceKind } from './planning.ts';

export type Issue = Schemas['Issue'];
export type IssueMoves = NonNullable<Issue['moves']>;

const stateOf = ({ state }: IssueFilter): 'opened' | 'closed' | 'all' =>
  state === 'closed' || state === 'all' ? state : 'opened';

/** Of a project, or of all projects below a group. */
export const issues = (id: string, filter: IssueFilter, kind: PlaceKind = 'project') =>
  queryOptions({
    queryKey: [kind, id, 'issues', filter],
    queryFn: () => {
      const query = {
        ...filterQuery(filter),
        ...orderQuery(filter),
        ...{ page: filter.page ?? 1, per_page: 20, with_labels_details: true, state: stateOf(filter) },
      };
      const params = { path: { id }, query };
      return unwrapPage(client.GET(kind === 'project' ? '/projects/{id}/issues' : '/groups/{id}/issues', { params }));
    },
  });

/** How many issues match the filter in each state. */
export const issueCounts = (
  id: string,
  { state: _state, page: _page, sort: _sort, ...filter }: IssueFilter,
  kind: PlaceKind = 'project',
) =>
  queryOptions({
    queryKey: [kind, id, 'issues', 'counts', filter],
    queryFn: async () => {
      const params = { path: { id }, query: filterQuery(filter) };
      const found = await unwrap(
        client.GET(kind === 'project' ? '/projects/{id}/issues_statistics' : '/groups/{id}/issues_statistics', {
          params,
        }),
      );
      return found.statistics.counts;
    },
  });

/** Sends the issues that a list finds to the caller's notification address. */
export function exportIssues(id: string, filter: IssueFilter) {
  const { 'labels[]': labels, 'assignee_username[]': assignees, ...query } = filterQuery(filter);
  const body = {
    ...{ ...query, state: stateOf(filter) },
    ...(labels ? { labels } : {}),
    ...(assignees ? { assignee_username: assignees } : {}),
  };
  return unwrap(client.POST('/projects/{id}/issues/export_csv', { params: { path: { id } }, body }));
}

/** Begins to create issues of the rows of a file. */
export function importIssues(id: string, file: File) {
  const form = new FormData();
  form.append('file', file);
  return unwrap(
    client.POST('/projects/{id}/issues/import_csv', {
      params: { path: { id } },
      body: { file: '' },
      bodySerializer: () => form,
    }),
  );
}

/** Pictures that belong to an incident. */
export const metricImages = (id: string, iid: number) =>
  queryOptions({
    queryKey: ['project', id, 'issue', iid, 'metric images'],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/issues/{issue_iid}/metric_images', { params: { path: { id, issue_iid: iid } } }),
      ),
  });

export function addMetricImage(id: string, iid: number, image: { file: File; url: string; url_text: string }) {
  const form = new FormData();
  form.append('file', image.file);
  if (image.url) form.append('url', image.url);
  if (image.url_text) form.append('url_text', image.url_text);
  const params = { path: { id, issue_iid: iid } };
  const body = { file: '' };
  return unwrap(
    client.POST('/projects/{id}/issues/{issue_iid}/metric_images', { params, body, bodySerializer: () => form }),
  );
}

export const removeMetricImage = (id: string, iid: number, metric_image_id: number) =>
  unwrap(
    client.DELETE('/projects/{id}/issues/{issue_iid}/metric_images/{metric_image_id}', {
      params: { path: { id, issue_iid: iid, metric_image_id } },
    }),
  );

export const issue = (id: string, iid: number) =>
  queryOptions({
    queryKey: ['project', id, 'issue', iid],
    queryFn: () =>
      unwrap(
        client.GET('/projects/{id}/issues/{issue_iid}', {
          params: { path: { id, issue_iid: iid }, query: { render_html: true, with_moves: true } },
        }),
      ),
  });

export interface IssueValues {
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly assignee_ids?: number[];
  readonly milestone_id?: number;
  readonly due_date?: string;
  /** 0 for none. */
  readonly iteration_id?: number;
  readonly epic_id?: number;
  readonly confidential: boolean;
  /** Threads that a new one resolves: of a merge request, by its iid, all or one. */
  readonly merge_request_to_resolve_discussions_of?: number;
  readonly discussion_to_resolve?: string;
}

export const createIssue = (id: string, { labels, ...values }: IssueValues) =>
  unwrap(client.POST('/projects/{id}/issues', { params: { path: { id } }, body: { ...values, labels: [...labels] } }));

export const setSubscribed = (id: string, iid: number, subscribed: boolean) =>
  unwrap(
    client.POST(
      subscribed ? '/projects/{id}/issues/{issue_iid}/subscribe' : '/projects/{id}/issues/{issue_iid}/unsubscribe',
      { params: { path: { id, issue_iid: iid } } },
    ),
  );

export type IssueChange = Schemas['PutProjectsByIdIssuesByIssueIidBody'];

export const changeIssue = (id: string, iid: number, body: IssueChange) =>
  unwrap(client.PUT('/projects/{id}/issues/{issue_iid}', { params: { path: { id, issue_iid: iid } }, body }));
