/** Filters of lists of issues: read from an address, and kept per person for the next visit. */

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
