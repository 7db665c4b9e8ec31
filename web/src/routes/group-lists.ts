/** Routes of the issues, merge requests, pipelines and activity of a group, below its route. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { readIssueFilter } from '../lib/issue-filters.ts';
import { mergeRequestList } from '../lib/merge-requests.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, number, pipelineSearch } from './base.ts';
import { mergeRequestSearch } from './merge-requests.ts';

const groupListsData = () => import('../lib/group-lists.ts');
const issuesData = () => import('../lib/issues.ts');
const common = { getParentRoute: () => group } as const;

const issues = createRoute({
  ...common,
  path: '/issues',
  validateSearch: readIssueFilter,
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await issuesData()).issues(fromSegment(params.path), deps, 'group')),
  component: lazyRouteComponent(() => import('../features/groups/GroupIssuesPage.tsx')),
});
const mergeRequests = createRoute({
  ...common,
  path: '/merge_requests',
  validateSearch: mergeRequestSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => queries.ensureQueryData(mergeRequestList(fromSegment(params.path), deps, 'group')),
  component: lazyRouteComponent(() => import('../features/groups/GroupMergeRequestsPage.tsx')),
});

const pipelines = createRoute({
  ...common,
  path: '/pipelines',
  validateSearch: pipelineSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await groupListsData()).groupPipelines(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/pipelines/GroupPipelinesPage.tsx')),
});
const activity = createRoute({
  ...common,
  path: '/activity',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await groupListsData()).groupEvents(fromSegment(params.path), deps.page ?? 1)),
  component: lazyRouteComponent(() => import('../features/activity/GroupActivityPage.tsx')),
});

export const groupListRoutes = [issues, mergeRequests, pipelines, activity] as const;
