/** The route of the list of merge requests, below a project's route. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { type MergeRequestFilter, mergeRequestList } from '../lib/merge-requests.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { number, text } from './base.ts';

export const mergeRequestsPage = {
  path: '/merge_requests',
  validateSearch: (search: Record<string, unknown>): MergeRequestFilter => ({
    page: number(search.page),
    state: text(search.state),
    search: text(search.search),
    author_username: text(search.author_username),
    reviewer_username: text(search.reviewer_username),
    labels: text(search.labels ?? search['label_name[]']),
    milestone: text(search.milestone ?? search.milestone_title),
    target_branch: text(search.target_branch),
    order: text(search.order),
  }),
  loaderDeps: ({ search }: { search: MergeRequestFilter }) => search,
  loader: ({ params, deps }: { readonly params: { readonly path: string }; readonly deps: MergeRequestFilter }) =>
    queries.ensureQueryData(mergeRequestList(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/merge-requests/MergeRequestsPage.tsx')),
} as const;
