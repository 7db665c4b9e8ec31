/** Lists of the merge requests of a project. */
import { queryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapPage } from './api.ts';
import type { TaskUpdate } from './markdown/tasks.ts';
import type { PlaceKind } from './planning.ts';

export type ListedMergeRequest = Schemas['ListedMergeRequest'];
/** Not as lists have them with `view=simple`, which no page asks for. */
const isWhole = (request: ListedMergeRequest | Schemas['SimpleMergeRequest']): request is ListedMergeRequest =>
  'references' in request;
/** Of lists that are not asked for `view=simple`: all of them. */
export const wholeRequests = (
  list: readonly (ListedMergeRequest | Schemas['SimpleMergeRequest'])[],
): ListedMergeRequest[] => list.filter(isWhole);

/** What stands in the address of the list, in the words of the API. */
export interface MergeRequestFilter {
  readonly page?: number | undefined;
  readonly state?: string | undefined;
  readonly search?: string | undefined;
  readonly author_username?: string | undefined;
  readonly reviewer_username?: string | undefined;
  readonly labels?: string | undefined;
  readonly milestone?: string | undefined;
  readonly target_branch?: string | undefined;
  readonly order?: string | undefined;
}

/** The same for the feed of the list: its newest, whatever its order. */
export const feedQuery = ({ page: _page, order: _order, ...filter }: MergeRequestFilter) => filter;

/** Orders of the list; the first one is usual. */
export const mergeRequestOrders = [
  { value: 'created_desc', label: 'Newest first' },
  { value: 'created_asc', label: 'Oldest first' },
  { value: 'updated_desc', label: 'Recently updated' },
  { value: 'title_asc', label: 'Title' },
  { value: 'popularity_desc', label: 'Popularity' },
  { value: 'milestone_due_asc', label: 'Milestone due date' },
  { value: 'label_priority_asc', label: 'Label priority' },
] as const;

/** `order_by` and `sort` of the API; the usual ones for words that it does not know. */
export function mergeRequestOrder(order: string | undefined) {
  const known = mergeRequestOrders.find(({ value }) => value === order)?.value ?? 'created_desc';
  const end = known.lastIndexOf('_');
  const by = known.slice(0, end);
  return {
    order_by: (by === 'created' || by === 'updated' ? `${by}_at` : by) as 'created_at',
    sort: known.slice(end + 1) as 'asc' | 'desc',
  };
}

/** The parameters of the API but for state, order and page. */
const narrowed = (filter: MergeRequestFilter) => ({
  ...(filter.search ? { search: filter.search } : {}),
  ...(filter.author_username ? { author_username: filter.author_username } : {}),
  ...(filter.reviewer_username ? { reviewer_username: filter.reviewer_username } : {}),
  ...(filter.labels ? { labels: filter.labels.split(',') } : {}),
  ...(filter.milestone ? { milestone: filter.milestone } : {}),
  ...(filter.target_branch ? { target_branch: filter.target_branch } : {}),
});

/** Of a project, or of all projects below a group. */
export const mergeRequestList = (id: string, filter: MergeRequestFilter, kind: PlaceKind = 'project') =>
  queryOptions({
    queryKey: [kind, id, 'merge-requests', filter],
    queryFn: async () => {
      const page = await unwrapPage(
        client.GET(kind === 'project' ? '/projects/{id}/merge_requests' : '/groups/{id}/merge_requests', {
          params: {
            path: { id },
            query: {
              page: filter.page ?? 1,
              per_page: 20,
              with_labels_details: true,
              with_review_status: true,
              state: (filter.state ?? 'opened') as 'opened',
              ...mergeRequestOrder(filter.order),
              ...narrowed(filter),
            },
          },
        }),
      );
      return { ...page, items: wholeRequests(page.items) };
    },
  });

/** How many merge requests match the filter in each state. */
export const mergeRequestCounts = (
  id: string,
  { state: _state, page: _page, order: _order, ...filter }: MergeRequestFilter,
  kind: PlaceKind = 'project',
) =>
  queryOptions({
    queryKey: [kind, id, 'merge-requests', 'counts', filter],
    queryFn: async () => {
      const params = { path: { id }, query: narrowed(filter) };
      const found = await unwrap(
        client.GET(
          kind === 'project' ? '/projects/{id}/merge_requests_statistics' : '/groups/{id}/merge_requests_statistics',
          { params },
        ),
      );
      return found.statistics.counts;
    },
  });

/** Whether the list is narrowed by more than its state. */
export const isNarrowed = (filter: MergeRequestFilter): boolean =>
  Object.entries(filter).some(([name, value]) => name !== 'page' && name !== 'order' && value !== undefined);

/** Ticks or clears one check box of the description. */
export const updateRequestTask = (id: string, iid: number, update_task: TaskUpdate) =>
  unwrap(
    client.PUT('/projects/{id}/merge_requests/{merge_request_iid}', {
      params: { path: { id, merge_request_iid: iid } },
      body: { update_task },
    }),
  );
