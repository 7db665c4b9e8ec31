/** Routes of issues, below a project's route. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { type IssueFilter, issue, issues } from '../lib/issues.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { number, text } from './base.ts';

interface At {
  readonly params: { readonly path: string };
}

export const issueList = {
  path: '/issues',
  validateSearch: (search: Record<string, unknown>): IssueFilter => ({
    page: number(search.page),
    state: text(search.state),
    search: text(search.search),
    labels: text(search.labels ?? search['label_name[]']),
    milestone: text(search.milestone ?? search.milestone_title),
    assignee_username: text(search.assignee_username),
    author_username: text(search.author_username),
  }),
  loaderDeps: ({ search }: { search: IssueFilter }) => search,
  loader: ({ params, deps }: At & { readonly deps: IssueFilter }) =>
    queries.ensureQueryData(issues(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/issues/IssuesPage.tsx')),
} as const;

export const oneIssue = {
  path: '/issues/$iid',
  loader: ({ params }: { readonly params: { readonly path: string; readonly iid: string } }) =>
    queries.ensureQueryData(issue(fromSegment(params.path), Number(params.iid))),
  component: lazyRouteComponent(() => import('../features/issues/IssuePage.tsx')),
} as const;
