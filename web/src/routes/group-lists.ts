/** Routes of the issues and merge requests of a group, below its route. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type GroupListFilter, groupIssues, groupMergeRequests } from '../lib/group-lists.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, number, text } from './base.ts';

const common = {
  getParentRoute: () => group,
  validateSearch: (search: Record<string, unknown>): GroupListFilter => ({
    page: number(search.page),
    state: text(search.state),
    search: text(search.search),
  }),
  loaderDeps: ({ search }: { search: GroupListFilter }) => search,
} as const;

const issues = createRoute({
  ...common,
  path: '/issues',
  loader: ({ params, deps }) => queries.ensureQueryData(groupIssues(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/groups/GroupLists.tsx'), 'GroupIssues'),
});
const mergeRequests = createRoute({
  ...common,
  path: '/merge_requests',
  loader: ({ params, deps }) => queries.ensureQueryData(groupMergeRequests(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/groups/GroupLists.tsx'), 'GroupMergeRequests'),
});

export const groupListRoutes = [issues, mergeRequests] as const;
