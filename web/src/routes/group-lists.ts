/** Routes of the issues, merge requests, pipelines and activity of a group, below its route. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { GroupListFilter } from '../lib/group-lists.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { group, number, pipelineSearch, text } from './base.ts';

const groupListsData = () => import('../lib/group-lists.ts');
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
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await groupListsData()).groupIssues(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/groups/GroupLists.tsx'), 'GroupIssues'),
});
const mergeRequests = createRoute({
  ...common,
  path: '/merge_requests',
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await groupListsData()).groupMergeRequests(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/groups/GroupLists.tsx'), 'GroupMergeRequests'),
});

const pipelines = createRoute({
  getParentRoute: () => group,
  path: '/pipelines',
  validateSearch: pipelineSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await groupListsData()).groupPipelines(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/pipelines/GroupPipelinesPage.tsx')),
});
const activity = createRoute({
  getParentRoute: () => group,
  path: '/activity',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) =>
    queries.ensureQueryData((await groupListsData()).groupEvents(fromSegment(params.path), deps.page ?? 1)),
  component: lazyRouteComponent(() => import('../features/activity/GroupActivityPage.tsx')),
});

export const groupListRoutes = [issues, mergeRequests, pipelines, activity] as const;
