/** All routes of the page. Loaders fetch before a route mounts; pages are loaded when first visited. */
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { apiDocument } from './features/api-docs/document.ts';
import { loadPlace } from './features/files/refs.ts';
import { ErrorPage, MissingPage } from './features/frame/ErrorPages.tsx';
import { PendingPage } from './features/frame/PendingPage.tsx';
import { resolveObject } from './features/projects/object.ts';
import { releaseAddress } from './features/releases/address.ts';
import * as data from './lib/data.ts';
import * as history from './lib/history.ts';
import { locksOf } from './lib/locks.ts';
import { mergeTrain } from './lib/merge-trains.ts';
import { queries } from './lib/queries.ts';
import * as releases from './lib/releases.ts';
import { testReport, testSummary } from './lib/test-reports.ts';
import { externalPath, fromSegment, internalPath } from './lib/urls.ts';
import { workCounts } from './lib/work.ts';
import {
  fetched,
  load,
  loadBlame,
  loadBlob,
  loadEdit,
  loadMergeRequest,
  loadNewFile,
  loadPaths,
  loadPreferences,
  loadTree,
  parts,
} from './loaders.ts';
import { accountRoutes } from './routes/account.ts';
import { adminRoutes } from './routes/admin.ts';
import { aliases, groupAliases, projectAliases } from './routes/aliases.ts';
import { adminAuditRoutes, groupLog, projectLog } from './routes/audit.ts';
import { group, memberSearch, number, root, signedIn, text } from './routes/base.ts';
import { entryRoutes } from './routes/entry.ts';
import { environmentList } from './routes/environments.ts';
import { groupRoutes, oneGroupRoutes } from './routes/groups.ts';
import { helpRoutes } from './routes/help.ts';
import { issueList, oneIssue } from './routes/issues.ts';
import { mergeRequestsPage } from './routes/merge-requests.ts';
import { groupMilestoneRoutes, milestoneList, milestoneOne } from './routes/milestones.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { searchRoute } from './routes/search.ts';
import { personalSnippets, projectSnippets } from './routes/snippets.ts';
import { topicRoutes } from './routes/topics.ts';
import { groupWiki, projectWiki } from './routes/wikis.ts';
import { workRoutes } from './routes/work.ts';

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: (
    search,
  ): {
    search?: string | undefined;
    page?: number | undefined;
    list?: string | undefined;
    order?: string | undefined;
  } => ({
    search: text(search.search),
    page: number(search.page),
    list: text(search.list),
    order: text(search.order),
  }),
  beforeLoad: signedIn,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) =>
    Promise.all([
      queries.ensureQueryData(workCounts()),
      deps.list === 'activity'
        ? queries.ensureQueryData(data.ownActivity(deps.page ?? 1))
        : queries.ensureQueryData(data.projects(deps)),
    ]),
  component: lazyRouteComponent(() => import('./features/projects/ProjectsPage.tsx')),
});
const newProject = createRoute({
  getParentRoute: () => root,
  path: '/projects/new',
  validateSearch: (search): { namespace_id?: number | undefined } => ({ namespace_id: number(search.namespace_id) }),
  beforeLoad: signedIn,
  loader: () => queries.ensureQueryData(data.namespaces()),
  component: lazyRouteComponent(() => import('./features/projects/NewProjectPage.tsx')),
});
/** The reference of the API; everyone may read it. */
const apiDocs = createRoute({
  getParentRoute: () => root,
  path: '/api/docs',
  validateSearch: (search): { operation?: string | undefined; search?: string | undefined } => ({
    operation: text(search.operation),
    search: text(search.search),
  }),
  loader: () => queries.ensureQueryData(apiDocument),
  component: lazyRouteComponent(() => import('./features/api-docs/ApiDocsPage.tsx')),
});

/** `/group/project` or `/group`: which one the address names is the server's to say. */
const object = createRoute({
  getParentRoute: () => root,
  path: '/o/$path',
  validateSearch: (search): { tab?: string | undefined } => ({ tab: text(search.tab) }),
  loader: ({ params }) => resolveObject(fromSegment(params.path)),
  component: lazyRouteComponent(() => import('./features/projects/ObjectPage.tsx')),
});
const project = createRoute({
  getParentRoute: () => root,
  path: '/p/$path',
  loader: ({ params }) => queries.ensureQueryData(data.project(fromSegment(params.path))),
  component: lazyRouteComponent(() => import('./features/projects/ProjectLayout.tsx')),
  notFoundComponent: MissingPage,
});
const under = { getParentRoute: () => project } as const;

const tree = createRoute({
  ...under,
  path: '/tree/$',
  loader: loadTree,
  component: lazyRouteComponent(() => import('./features/files/TreePage.tsx')),
});
const blob = createRoute({
  ...under,
  path: '/blob/$',
  loader: loadBlob,
  component: lazyRouteComponent(() => import('./features/files/BlobPage.tsx')),
});
/** The server has the file itself: the page says why there is none, or shows it in its frame. */
const raw = createRoute({
  ...under,
  path: '/raw/$',
  loader: async (at) => {
    await loadBlob(at);
    throw redirect({ to: '/p/$path/blob/$', params: { path: at.params.path, _splat: at.params._splat ?? '' } });
  },
});
const edit = createRoute({
  ...under,
  path: '/edit/$',
  beforeLoad: signedIn,
  loader: loadEdit,
  component: lazyRouteComponent(() => import('./features/files/EditPage.tsx')),
});
const newFile = createRoute({
  ...under,
  path: '/new/$',
  validateSearch: (search): { n?: number | undefined } => ({ n: number(search.n) }),
  beforeLoad: signedIn,
  loader: loadNewFile,
  component: lazyRouteComponent(() => import('./features/files/NewFilePage.tsx')),
});
const blame = createRoute({
  ...under,
  path: '/blame/$',
  loader: loadBlame,
  component: lazyRouteComponent(() => import('./features/files/BlamePage.tsx')),
});
const findFile = createRoute({
  ...under,
  path: '/find_file/$',
  validateSearch: (search): { edit?: boolean | undefined } => ({ edit: search.edit === true || undefined }),
  loader: loadPaths,
  component: lazyRouteComponent(() => import('./features/files/FindFilePage.tsx')),
});
const commits = createRoute({
  ...under,
  path: '/commits/$',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const place = await loadPlace(await fetched(params.path), params._splat ?? '');
    await load(parts(params.path).commits({ ref: place.ref, folder: place.path, page: deps.page ?? 1 }));
  },
  component: lazyRouteComponent(() => import('./features/commits/CommitsPage.tsx')),
});
const commit = createRoute({
  ...under,
  path: '/commit/$sha',
  loader: ({ params }) =>
    Promise.all([
      load(parts(params.path).commit(params.sha)),
      load(parts(params.path).commitDiff(params.sha)),
      loadPreferences(),
    ]),
  component: lazyRouteComponent(() => import('./features/commits/CommitPage.tsx')),
});
const branches = createRoute({
  ...under,
  path: '/branches',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(parts(params.path).branches(deps.search)),
  component: lazyRouteComponent(() => import('./features/branches/BranchesPage.tsx')),
});
/** The list, the form of a new one, or one by its tag, which may have slashes. */
const releasePages = createRoute({
  ...under,
  path: '/releases/$',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => {
    const path = fromSegment(params.path);
    const { kind, tag } = releaseAddress(params._splat ?? '');
    if (kind === 'list') return load(releases.releases(path, deps.page ?? 1));
    return kind === 'new' ? fetched(params.path) : load(releases.release(path, tag));
  },
  component: lazyRouteComponent(() => import('./features/releases/ReleasesRoute.tsx')),
});
const network = createRoute({
  ...under,
  path: '/network/$',
  validateSearch: (search): { all?: boolean | undefined } => ({ all: search.all === true || undefined }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const place = await loadPlace(await fetched(params.path), params._splat ?? '');
    await queries.ensureInfiniteQueryData(history.graphOf(fromSegment(params.path), place.ref, deps.all ?? false));
  },
  component: lazyRouteComponent(() => import('./features/network/NetworkPage.tsx')),
});
const tags = createRoute({
  ...under,
  path: '/tags',
  validateSearch: (search): { search?: string | undefined; page?: number | undefined } => ({
    search: text(search.search),
    page: number(search.page),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(history.tagList(fromSegment(params.path), deps)),
  component: lazyRouteComponent(() => import('./features/tags/TagsPage.tsx')),
});
const compare = createRoute({
  ...under,
  path: '/compare/$',
  loader: async ({ params }) => {
    const { default_branch, empty_repo } = await fetched(params.path);
    const main = default_branch ?? '';
    const sides = history.parseRange(params._splat ?? '') ?? { from: main, to: main, straight: false };
    if (!empty_repo) await load(parts(params.path).compare(sides.from, sides.to, sides.straight));
    await loadPreferences();
  },
  component: lazyRouteComponent(() => import('./features/compare/ComparePage.tsx')),
});
const locks = createRoute({
  ...under,
  path: '/path_locks',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(locksOf(fromSegment(params.path), deps.page ?? 1)),
  component: lazyRouteComponent(() => import('./features/locks/LocksPage.tsx')),
});
const pipelines = createRoute({
  ...under,
  path: '/pipelines',
  validateSearch: (search): { page?: number | undefined; ref?: string | undefined; status?: string | undefined } => ({
    page: number(search.page),
    ref: text(search.ref),
    status: text(search.status),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(parts(params.path).pipelines(deps)),
  component: lazyRouteComponent(() => import('./features/pipelines/PipelinesPage.tsx')),
});
const newPipeline = createRoute({
  ...under,
  path: '/pipelines/new',
  component: lazyRouteComponent(() => import('./features/pipelines/NewPipelinePage.tsx')),
});
const pipelinePage = {
  ...under,
  loader: ({ params }: { params: { path: string; id: string; tab?: string } }) =>
    Promise.all([
      load(parts(params.path).pipeline(Number(params.id))),
      load(parts(params.path).pipelineJobs(Number(params.id))),
      load(parts(params.path).pipelineNeeds(Number(params.id))),
      load(testSummary(fromSegment(params.path), Number(params.id))),
      params.tab === 'test_report' ? load(testReport(fromSegment(params.path), Number(params.id))) : undefined,
    ]),
  component: lazyRouteComponent(() => import('./features/pipelines/PipelinePage.tsx')),
};
const pipeline = createRoute({ ...pipelinePage, path: '/pipelines/$id' });
const pipelineTab = createRoute({ ...pipelinePage, path: '/pipelines/$id/$tab' });
const job = createRoute({
  ...under,
  path: '/jobs/$id',
  loader: ({ params }) => load(parts(params.path).job(Number(params.id))),
  component: lazyRouteComponent(() => import('./features/jobs/JobPage.tsx')),
});
const mergeRequests = createRoute({ ...under, ...mergeRequestsPage });
const mergeTrainPage = createRoute({
  ...under,
  path: '/merge_trains',
  validateSearch: (search): { target_branch?: string | undefined } => ({ target_branch: text(search.target_branch) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const { default_branch } = await fetched(params.path);
    await load(mergeTrain(fromSegment(params.path), deps.target_branch ?? default_branch ?? 'main'));
  },
  component: lazyRouteComponent(() => import('./features/merge-trains/MergeTrainPage.tsx')),
});
const newMergeRequest = createRoute({
  ...under,
  path: '/merge_requests/new',
  validateSearch: (search: Record<string, unknown>): { source?: string | undefined; target?: string | undefined } => ({
    source: text(search['merge_request[source_branch]'] ?? search.source),
    target: text(search['merge_request[target_branch]'] ?? search.target),
  }),
  loader: async ({ params }) => {
    const from = (await fetched(params.path)).forked_from_project?.path_with_namespace;
    // The origin may be hidden from who looks: then the fork alone is a target.
    if (from) await load(data.project(from)).catch(() => null);
  },
  component: lazyRouteComponent(() => import('./features/merge-requests/NewMergeRequestPage.tsx')),
});
const mergeRequest = createRoute({
  ...under,
  path: '/merge_requests/$iid',
  loader: loadMergeRequest,
  component: lazyRouteComponent(() => import('./features/merge-requests/MergeRequestPage.tsx')),
});
const mergeRequestTab = createRoute({
  ...under,
  path: '/merge_requests/$iid/$tab',
  loader: loadMergeRequest,
  component: lazyRouteComponent(() => import('./features/merge-requests/MergeRequestPage.tsx')),
});
const issuesRoute = createRoute({ ...under, ...issueList });
const newIssue = createRoute({
  ...under,
  path: '/issues/new',
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('./features/issues/NewIssuePage.tsx')),
});
const issueRoute = createRoute({ ...under, ...oneIssue });
const environments = createRoute({ ...under, ...environmentList });
const snippets = createRoute({ ...under, ...projectSnippets });
const milestones = createRoute({
  ...under,
  path: '/milestones',
  ...milestoneList('project'),
  component: lazyRouteComponent(() => import('./features/milestones/MilestonesPage.tsx'), 'ProjectMilestones'),
});
const newMilestone = createRoute({
  ...under,
  path: '/milestones/new',
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('./features/milestones/NewMilestonePage.tsx'), 'NewProjectMilestone'),
});
const milestone = createRoute({
  ...under,
  path: '/milestones/$iid',
  ...milestoneOne('project'),
  component: lazyRouteComponent(() => import('./features/milestones/MilestonePage.tsx'), 'ProjectMilestone'),
});
const activity = createRoute({
  ...under,
  path: '/activity',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => load(parts(params.path).events(deps.page ?? 1)),
  component: lazyRouteComponent(() => import('./features/activity/ActivityPage.tsx')),
});
const members = createRoute({
  ...under,
  path: '/project_members',
  validateSearch: memberSearch,
  component: lazyRouteComponent(() => import('./features/members/MembersPage.tsx')),
});
const fork = createRoute({
  ...under,
  path: '/forks/new',
  beforeLoad: signedIn,
  loader: () => load(data.namespaces()),
  component: lazyRouteComponent(() => import('./features/projects/ForkPage.tsx')),
});
const settings = createRoute({
  ...under,
  path: '/settings',
  validateSearch: (search): { part?: string | undefined } => ({ part: text(search.part) }),
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('./features/settings/SettingsPage.tsx')),
});
const accessTokenSettings = createRoute({
  ...under,
  path: '/settings/access_tokens',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/p/$path/settings', params, search: { part: 'access-tokens' } });
  },
});

const projectAudit = createRoute({
  ...under,
  ...projectLog,
  path: '/audit_events',
  component: lazyRouteComponent(() => import('./features/audit/ProjectAuditPage.tsx')),
});

const wiki = createRoute({ ...under, ...projectWiki });

const projectRoutes = [
  wiki,
  projectAudit,
  tree,
  blob,
  raw,
  edit,
  newFile,
  blame,
  findFile,
  commits,
  commit,
  branches,
  tags,
  compare,
  network,
  releasePages,
  locks,
  pipelines,
  newPipeline,
  pipeline,
  pipelineTab,
  job,
  mergeRequests,
  mergeTrainPage,
  newMergeRequest,
  mergeRequest,
  mergeRequestTab,
  issuesRoute,
  newIssue,
  issueRoute,
  environments,
  snippets,
  milestones,
  newMilestone,
  milestone,
  activity,
  members,
  fork,
  settings,
  accessTokenSettings,
  ...projectAliases(() => project),
];

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    ...entryRoutes,
    ...oauthRoutes,
    newProject,
    accountRoutes,
    ...adminRoutes,
    ...adminAuditRoutes,
    apiDocs,
    ...topicRoutes,
    personalSnippets,
    searchRoute,
    ...helpRoutes,
    ...aliases,
    object,
    ...groupRoutes,
    ...workRoutes,
    group.addChildren([...oneGroupRoutes, ...groupAliases, ...groupMilestoneRoutes, groupWiki, groupLog]),
    project.addChildren(projectRoutes),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  defaultPendingComponent: PendingPage,
  // Each page has its own boundary: what goes wrong in one leaves the frame and the header around it.
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
  rewrite: {
    input: ({ url }) => {
      url.pathname = internalPath(url.pathname);
      return url;
    },
    output: ({ url }) => {
      url.pathname = externalPath(url.pathname);
      return url;
    },
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
