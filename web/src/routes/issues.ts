/** Routes of issues, below a project's route. */
import { lazyRouteComponent, redirect } from '@tanstack/react-router';
import { type IssueFilter, readIssueFilter, savedFilter } from '../lib/issue-filters.ts';
import { queries } from '../lib/queries.ts';
import { currentSession } from '../lib/session.ts';
import { fromSegment } from '../lib/urls.ts';

const issuesData = () => import('../lib/issues.ts');

interface At {
  readonly params: { readonly path: string };
}

export const issueList = {
  path: '/issues',
  validateSearch: readIssueFilter,
  /** Without a filter in the address, the one that the person chose last. */
  beforeLoad: async ({ params, search }: At & { readonly search: IssueFilter }) => {
    if (Object.values(search).some((value) => value !== undefined)) return;
    const { user } = await currentSession();
    const saved = user ? savedFilter(user.id, fromSegment(params.path)) : null;
    if (saved) throw redirect({ to: '/p/$path/issues', params, search: saved, replace: true });
  },
  loaderDeps: ({ search }: { search: IssueFilter }) => search,
  loader: async ({ params, deps }: At & { readonly deps: IssueFilter }) =>
    queries.ensureQueryData((await issuesData()).issues(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/issues/IssuesPage.tsx')),
} as const;

export const oneIssue = {
  path: '/issues/$iid',
  loader: async ({ params }: { readonly params: { readonly path: string; readonly iid: string } }) =>
    queries.ensureQueryData((await issuesData()).issue(fromSegment(params.path), Number(params.iid))),
  component: lazyRouteComponent(() => import('../features/issues/IssuePage.tsx')),
} as const;
