/** Filters of lists of issues: read from an address, asked of the API, and kept per person for the next visit. */

/** What stands in the address of the list, in the words of the API. Lists of labels are parted by commas. */
export interface IssueFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
  readonly labels?: string | undefined;
  readonly milestone?: string | undefined;
  readonly assignee_id?: string | undefined;
  readonly assignee_username?: string | undefined;
  readonly author_username?: string | undefined;
  readonly confidential?: string | undefined;
  readonly 'not[labels]'?: string | undefined;
  readonly 'not[milestone]'?: string | undefined;
  readonly 'not[assignee_username]'?: string | undefined;
  readonly 'not[author_username]'?: string | undefined;
  readonly sort?: string | undefined;
}

const names = [
  ...(['state', 'search', 'labels', 'milestone', 'assignee_id', 'assignee_username', 'author_username'] as const),
  ...(['confidential', 'not[labels]', 'not[milestone]', 'not[assignee_username]', 'not[author_username]'] as const),
  'sort',
] as const;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== ''
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined;

/** Also by the names that the ecosystem's addresses have. */
export function readIssueFilter(search: Record<string, unknown>): IssueFilter {
  const page = Number(search.page);
  const given = {
    ...search,
    labels: search.labels ?? search['label_name[]'],
    milestone: search.milestone ?? search.milestone_title,
  };
  return {
    page: Number.isInteger(page) && page > 0 ? page : undefined,
    ...Object.fromEntries(names.map((name) => [name, text(given[name as keyof typeof given])])),
  };
}

export const isFiltered = (filter: IssueFilter): boolean =>
  names.some((name) => name !== 'sort' && filter[name] !== undefined);

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

const keyOf = (userId: number, path: string) => `millrace-issue-filter:${userId}:${path}`;

/** The filter that somebody chose last in a project; null where they chose none. */
export function savedFilter(userId: number, path: string): IssueFilter | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId, path)) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return null;
    const filter = readIssueFilter(stored as Record<string, unknown>);
    return names.some((name) => filter[name] !== undefined) ? filter : null;
  } catch {
    return null;
  }
}

/** Keeps what was chosen, without the words and the page; nothing is kept where all is as usual. */
export function saveFilter(userId: number, path: string, filter: IssueFilter): void {
  const kept = Object.fromEntries(
    names.flatMap((name) => (name === 'search' || filter[name] === undefined ? [] : [[name, filter[name]]])),
  );
  try {
    if (Object.keys(kept).length === 0) localStorage.removeItem(keyOf(userId, path));
    else localStorage.setItem(keyOf(userId, path), JSON.stringify(kept));
  } catch {
    // Without room the list begins unfiltered.
  }
}
