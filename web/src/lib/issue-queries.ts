/** Filters and orders of lists of issues as the API takes them. */
import type { IssueFilter } from './issue-filters.ts';

export const issueOrders = [
  { value: 'created_at', label: 'Newest', sort: 'desc' },
  { value: 'created_at_asc', label: 'Oldest', sort: 'asc' },
  { value: 'updated_at', label: 'Last updated', sort: 'desc' },
  { value: 'due_date', label: 'Due date', sort: 'asc' },
  { value: 'milestone_due', label: 'Milestone due date', sort: 'asc' },
  { value: 'priority', label: 'Priority', sort: 'asc' },
  { value: 'label_priority', label: 'Label priority', sort: 'asc' },
  { value: 'popularity', label: 'Most votes', sort: 'desc' },
  { value: 'weight', label: 'Weight', sort: 'desc' },
  { value: 'title', label: 'Title', sort: 'asc' },
] as const;

export const labelsIn = (value: string | undefined): string[] => value?.split(',').filter((each) => each !== '') ?? [];

/** The parameters of the API but for state, order and page. */
export function filterQuery(filter: IssueFilter) {
  const labels = labelsIn(filter.labels);
  const not = {
    ...(filter['not[labels]'] ? { labels: filter['not[labels]'] as unknown as string[] } : {}),
    ...(filter['not[milestone]'] ? { milestone: filter['not[milestone]'] } : {}),
    ...(filter['not[assignee_username]']
      ? { assignee_username: filter['not[assignee_username]'] as unknown as string[] }
      : {}),
    ...(filter['not[author_username]'] ? { author_username: filter['not[author_username]'] } : {}),
  };
  return {
    scope: 'all' as const,
    ...(filter.search ? { search: filter.search } : {}),
    ...(labels.length > 0 ? { 'labels[]': labels } : {}),
    ...(filter.milestone ? { milestone: filter.milestone } : {}),
    ...(filter.assignee_id ? { assignee_id: filter.assignee_id } : {}),
    ...(filter.assignee_username ? { 'assignee_username[]': [filter.assignee_username] } : {}),
    ...(filter.author_username ? { author_username: filter.author_username } : {}),
    ...(filter.confidential ? { confidential: filter.confidential === 'true' } : {}),
    ...(Object.keys(not).length > 0 ? { not } : {}),
  };
}

export function orderQuery({ sort }: IssueFilter) {
  const order = issueOrders.find(({ value }) => value === sort) ?? issueOrders[0];
  return {
    order_by: order.value === 'created_at_asc' ? ('created_at' as const) : order.value,
    sort: order.sort,
  };
}
