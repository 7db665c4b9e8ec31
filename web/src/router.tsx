/** All routes of the page. Loaders fetch before a route mounts; pages are loaded when first visited. */
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { ErrorPage } from './features/frame/ErrorPages.tsx';
import { PendingPage } from './features/frame/PendingPage.tsx';
import { ObjectPage } from './features/projects/ObjectPage.tsx';
import { loadObject } from './features/projects/object-views.ts';
import { PendingProjects } from './features/projects/ProjectLists.tsx';
import * as data from './lib/data.ts';
import { queries } from './lib/queries.ts';
import { currentSession } from './lib/session.ts';
import { externalPath, fromSegment, internalPath } from './lib/urls.ts';
import { workCounts } from './lib/work.ts';
import { fetched, load, parts } from './loaders.ts';
import { accountRoutes } from './routes/account.ts';
import { adminMode, adminRoutes } from './routes/admin.ts';
import { aliases, groupAliases, projectAliases } from './routes/aliases.ts';
import { adminAuditRoutes, groupLog, projectLog } from './routes/audit.ts';
import {
  administration,
  group,
  memberSearch,
  number,
  root,
  signedIn,
  signedInOrVisiting,
  text,
} from './routes/base.ts';
import { groupBoardRoutes, projectBoardRoutes } from './routes/boards.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { ciRoutes } from './routes/ci.ts';
import { entryRoutes } from './routes/entry.ts';
import { environmentRoutes } from './routes/environments.ts';
import { epicRoutes } from './routes/epics.ts';
import { featureFlagRoutes } from './routes/feature-flags.ts';
import { groupListRoutes } from './routes/group-lists.ts';
import { groupRoutes, oneGroupRoutes } from './routes/groups.ts';
import { helpRoutes } from './routes/help.ts';
import { issueList, oneIssue } from './routes/issues.ts';
import { groupIterationRoutes, projectIterationRoutes } from './routes/iterations.ts';
import { mergeRequestRoutes, mergeRequestsPage } from './routes/merge-requests.ts';
import { groupMilestoneRoutes, milestoneList, milestoneOne } from './routes/milestones.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { packageRoutes } from './routes/packages.ts';
import { pipelineRoutes } from './routes/pipelines.ts';
import { project, under } from './routes/project.ts';
import { repositoryRoutes } from './routes/repository.ts';
import { searchRoute } from './routes/search.ts';
import { personalSnippets, projectSnippets } from './routes/snippets.ts';
import { topicRoutes } from './routes/topics.ts';
import { groupValueStream, projectValueStream } from './routes/value-stream.ts';
import {
  groupVulnerabilityReport,
  instanceVulnerabilityReport,
  vulnerabilityReport,
  vulnerabilityRoute,
} from './routes/vulnerabilities.ts';
import { groupWiki, projectWiki } from './routes/wikis.ts';
import { workRoutes } from './routes/work.ts';

const mergeTrainsData = () => import('./lib/merge-trains.ts');
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
  beforeLoad: ({ location, search }) =>
    search.list === 'all' ? signedInOrVisiting({ location }) : signedIn({ location }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) =>
    Promise.all([
      (await currentSession()).user ? queries.ensureQueryData(workCounts()) : null,
      deps.list === 'activity'
        ? queries.ensureQueryData(data.ownActivity(deps.page ?? 1))
        : queries.ensureQueryData(data.projects(deps)),
    ]),
  component: lazyRouteComponent(() => import('./features/projects/ProjectsPage.tsx')),
  pendingComponent: PendingProjects,
});
const newProject = createRoute({
  getParentRoute: () => root,
  path: '/projects/new',
  validateSearch: (search): { namespace_id?: number | undefined } => ({ namespace_id: number(search.namespace_id) }),
  beforeLoad: signedIn,
  loader: () => queries.ensureQueryData(data.namespaces()),
  component: lazyRouteComponent(() => import('./features/projects/NewProjectPage.tsx')),
});
const remoteImport = createRoute({
  getParentRoute: () => root,
  path: '/import/new',
  beforeLoad: signedIn,
  loader: () => queries.ensureQueryData(data.namespaces()),
  component: lazyRouteComponent(() => import('./features/transfers/RemoteImportPage.tsx')),
});
const importHistory = createRoute({
  getParentRoute: () => root,
  path: '/import/history',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  beforeLoad: signedIn,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => {
    const { imports } = await import('./lib/imports.ts');
    return await queries.ensureQueryData(imports('user', deps.page));
  },
  component: lazyRouteComponent(() => import('./features/transfers/ImportHistoryPage.tsx')),
});
/** The reference of the API; everyone may read it. */
const apiDocs = createRoute({
  getParentRoute: () => root,
  path: '/api/docs',
  validateSearch: (search): { operation?: string | undefined; search?: string | undefined } => ({
    operation: text(search.operation),
    search: text(search.search),
  }),
  loader: async () => queries.ensureQueryData((await import('./features/api-docs/document.ts')).apiDocument),
  component: lazyRouteComponent(() => import('./features/api-docs/ApiDocsPage.tsx')),
});

/** `/group/project` or `/group`: which one the address names is the server's to say. */
const object = createRoute({
  getParentRoute: () => root,
  path: '/o/$path',
  validateSearch: (search): { tab?: string | undefined } => ({ tab: text(search.tab) }),
  loader: ({ params }) => loadObject(fromSegment(params.path)),
  component: ObjectPage,
});
const mergeRequests = createRoute({ ...under, ...mergeRequestsPage });
const mergeTrainPage = createRoute({
  ...under,
  path: '/merge_trains',
  validateSearch: (search): { target_branch?: string | undefined } => ({ target_branch: text(search.target_branch) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params, deps }) => {
    const { default_branch, merge_trains_enabled } = await fetched(params.path);
    if (!merge_trains_enabled) return;
    await load(
      (await mergeTrainsData()).mergeTrain(fromSegment(params.path), deps.target_branch ?? default_branch ?? 'main'),
    );
  },
  component: lazyRouteComponent(() => import('./features/merge-trains/MergeTrainPage.tsx')),
});
const newMergeRequest = createRoute({
  ...under,
  path: '/merge_requests/new',
  validateSearch: (
    search: Record<string, unknown>,
  ): {
    readonly source?: string | undefined;
    readonly target?: string | undefined;
    readonly title?: string | undefined;
    readonly description?: string | undefined;
  } => ({
    source: text(search['merge_request[source_branch]'] ?? search.source),
    target: text(search['merge_request[target_branch]'] ?? search.target),
    title: text(search['merge_request[title]'] ?? search.title),
    description: text(search['merge_request[description]'] ?? search.description),
  }),
  loader: async ({ params }) => {
    const from = (await fetched(params.path)).forked_from_project?.path_with_namespace;
    // The origin may be hidden from who looks: then the fork alone is a target.
    if (from) await load(data.project(from)).catch(() => null);
  },
  component: lazyRouteComponent(() => import('./features/merge-requests/NewMergeRequestPage.tsx')),
});
const issuesRoute = createRoute({ ...under, ...issueList });
const newIssue = createRoute({
  ...under,
  path: '/issues/new',
  // Links to the form, in documents and messages, fill it in.
  validateSearch: (
    search: Record<string, unknown>,
  ): {
    readonly title?: string | undefined;
    readonly description?: string | undefined;
    readonly template?: string | undefined;
    readonly confidential?: boolean | undefined;
    readonly vulnerability_id?: number | undefined;
    readonly merge_request_to_resolve_discussions_of?: number | undefined;
    readonly discussion_to_resolve?: string | undefined;
  } => ({
    title: text(search['issue[title]'] ?? search.title),
    description: text(search['issue[description]'] ?? search.description),
    template: text(search.issuable_template ?? search.template),
    confidential: String(search['issue[confidential]'] ?? search.confidential) === 'true' || undefined,
    vulnerability_id: number(search.vulnerability_id),
    merge_request_to_resolve_discussions_of: number(search.merge_request_to_resolve_discussions_of),
    discussion_to_resolve: text(search.discussion_to_resolve),
  }),
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('./features/issues/NewIssuePage.tsx')),
});
const issueRoute = createRoute({ ...under, ...oneIssue });
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
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await import('./features/settings/SettingsPage.tsx')).load(deps.part),
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
  ...repositoryRoutes,
  ...pipelineRoutes,
  ...ciRoutes,
  mergeRequests,
  mergeTrainPage,
  newMergeRequest,
  mergeRequestRoutes,
  issuesRoute,
  newIssue,
  issueRoute,
  ...projectBoardRoutes,
  ...projectIterationRoutes,
  projectValueStream,
  ...environmentRoutes,
  ...featureFlagRoutes,
  ...packageRoutes,
  vulnerabilityReport,
  vulnerabilityRoute,
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
    remoteImport,
    importHistory,
    accountRoutes,
    adminMode,
    administration.addChildren([...adminRoutes, instanceVulnerabilityReport, ...adminAuditRoutes]),
    apiDocs,
    ...topicRoutes,
    ...catalogRoutes,
    personalSnippets,
    searchRoute,
    ...helpRoutes,
    ...aliases,
    object,
    ...groupRoutes,
    ...workRoutes,
    group.addChildren([
      ...oneGroupRoutes,
      ...groupListRoutes,
      ...groupAliases,
      ...groupMilestoneRoutes,
      ...groupBoardRoutes,
      ...groupIterationRoutes,
      ...epicRoutes,
      groupVulnerabilityReport,
      groupValueStream,
      groupWiki,
      groupLog,
    ]),
    project.addChildren(projectRoutes),
  ]),
  defaultPreload: 'intent',
  defaultPendingMs: 200,
  // A page that has arrived is shown, however short its skeleton was there: half a second more is what people notice.
  defaultPendingMinMs: 0,
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
