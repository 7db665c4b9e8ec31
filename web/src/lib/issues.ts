/** Issues of a project: lists, one of them with its description as HTML. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';

export type Issue = Schemas['Issue'];

/** What stands in the address of the list, in the words of the API. */
export interface IssueFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
  readonly labels?: string | undefined;
  readonly milestone?: string | undefined;
  readonly assignee_username?: string | undefined;
  readonly author_username?: string | undefined;
}

export const issues = (id: string, filter: IssueFilter) =>
  queryOptions({
    queryKey: ['project', id, 'issues', filter],
    queryFn: () =>
      unwrapPage(
        client.GET('/projects/{id}/issues', {
          params: {
            path: { id },
            query: {
              page: filter.page ?? 1,
              per_page: 20,
              scope: 'all',
              with_labels_details: true,
              state: (filter.state ?? 'opened') as 'opened',
              ...(filter.search ? { search: filter.search } : {}),
              ...(filter.labels ? { labels: filter.labels.split(',') } : {}),
              ...(filter.milestone ? { milestone: filter.milestone } : {}),
              ...(filter.assignee_username ? { assignee_username: [filter.assignee_username] } : {}),
              ...(filter.author_username ? { author_username: filter.author_username } : {}),
            },
          },
        }),
      ),
  });

export const issue = (id: string, iid: number) =>
  queryOptions({
    queryKey: ['project', id, 'issue', iid],
    queryFn: () =>
      unwrap(client.GET('/projects/{id}/issues/{issue_iid}', { params: { path: { id, issue_iid: iid } } })),
  });

/** A text as the server renders it for this project. */
export const rendered = (project: string, text: string) =>
  queryOptions({
    queryKey: ['markdown', project, text],
    queryFn: async () => (await unwrap(client.POST('/markdown', { body: { text, gfm: true, project } }))).html,
    staleTime: 60_000,
  });

export interface IssueValues {
  readonly title: string;
  readonly description: string;
  readonly labels: readonly string[];
  readonly milestone_id?: number;
  readonly due_date?: string;
  readonly confidential: boolean;
}

export const createIssue = (id: string, { labels, ...values }: IssueValues) =>
  unwrap(client.POST('/projects/{id}/issues', { params: { path: { id } }, body: { ...values, labels: [...labels] } }));

export const changeIssue = (
  id: string,
  iid: number,
  body: Partial<Omit<IssueValues, 'labels'>> & { labels?: string[]; state_event?: 'close' | 'reopen' },
) => unwrap(client.PUT('/projects/{id}/issues/{issue_iid}', { params: { path: { id, issue_iid: iid } }, body }));
