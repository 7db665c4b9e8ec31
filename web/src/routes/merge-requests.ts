/** The routes of merge requests, below a project's route: their list, and one with its tabs. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ErrorPart } from '../features/frame/ErrorPages.tsx';
import { PendingPart } from '../features/frame/PendingPage.tsx';
import { ChangesTab, ConflictsTab, ListTab, OverviewTab } from '../features/merge-requests/tabs.ts';
import { missing } from '../lib/api.ts';
import { type MergeRequestFilter, mergeRequestList } from '../lib/merge-requests.ts';
import { queries } from '../lib/queries.ts';
import { fromSegment } from '../lib/urls.ts';
import { load, loadPreferences, parts } from '../loaders.ts';
import { number, text } from './base.ts';
import { under } from './project.ts';

/** Also by the names that the ecosystem's addresses have. */
export const mergeRequestSearch = (search: Record<string, unknown>): MergeRequestFilter => ({
  page: number(search.page),
  state: text(search.state),
  search: text(search.search),
  author_username: text(search.author_username),
  reviewer_username: text(search.reviewer_username),
  labels: text(search.labels ?? search['label_name[]']),
  milestone: text(search.milestone ?? search.milestone_title),
  target_branch: text(search.target_branch),
  order: text(search.order),
});

export const mergeRequestsPage = {
  path: '/merge_requests',
  validateSearch: mergeRequestSearch,
  loaderDeps: ({ search }: { search: MergeRequestFilter }) => search,
  loader: ({ params, deps }: { readonly params: { readonly path: string }; readonly deps: MergeRequestFilter }) =>
    queries.ensureQueryData(mergeRequestList(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('../features/merge-requests/MergeRequestsPage.tsx')),
} as const;

/** Its header and tabs, which stay while the content of another tab loads. */
const mergeRequest = createRoute({
  ...under,
  path: '/merge_requests/$iid',
  loader: ({ params }) => load(parts(params.path).mergeRequest(Number(params.iid))),
  component: lazyRouteComponent(() => import('../features/merge-requests/MergeRequestPage.tsx'), 'MergeRequestPage'),
});
const content = {
  getParentRoute: () => mergeRequest,
  component: lazyRouteComponent(() => import('../features/merge-requests/MergeRequestPage.tsx'), 'MergeRequestTab'),
  pendingComponent: PendingPart,
  errorComponent: ErrorPart,
} as const;
const overview = createRoute({
  ...content,
  path: '/',
  loader: ({ params }) =>
    Promise.all([
      // What it says is there with the rest.
      load(parts(params.path).mergeRequest(Number(params.iid))).then(({ description_html, user_notes_count }) =>
        description_html || user_notes_count ? import('../ui/MarkdownBody.tsx') : null,
      ),
      OverviewTab.preload?.(),
    ]),
});
const tab = createRoute({
  ...content,
  path: '/$tab',
  loader: async ({ params }) => {
    const of = parts(params.path);
    const iid = Number(params.iid);
    const loads: Readonly<Record<string, () => readonly unknown[]>> = {
      commits: () => [load(of.mergeRequestCommits(iid)), ListTab.preload?.()],
      pipelines: () => [load(of.mergeRequestPipelines(iid)), ListTab.preload?.()],
      diffs: () => [load(of.mergeRequestDiffs(iid)), loadPreferences(), ChangesTab.preload?.()],
      conflicts: () => [ConflictsTab.preload?.()],
    };
    const needed = loads[params.tab];
    if (!needed) throw missing();
    await Promise.all([load(of.mergeRequest(iid)), ...needed()]);
  },
});

export const mergeRequestRoutes = mergeRequest.addChildren([overview, tab]);
