/** The administration. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import type { SettingsSearch } from '../features/admin/settings-form.ts';
import { forbidden } from '../lib/api.ts';
import { type JobStatus, jobStatuses } from '../lib/background-jobs.ts';
import * as data from '../lib/data.ts';
import type { UsageGroup } from '../lib/fleet.ts';
import { queries } from '../lib/queries.ts';
import { registrationQuery } from '../lib/registration.ts';
import { currentSession } from '../lib/session.ts';
import { adminModePath, inAdmin, number, root, signedIn, text } from './base.ts';
import { adminRunner } from './runners.ts';

const topicsData = () => import('../lib/topics.ts');
const runnersData = () => import('../lib/runners.ts');
const load = queries.ensureQueryData.bind(queries);
const loaders = () => import('./admin-loaders.ts');

/** For administrators who have no rights of one until they prove themselves again. */
export const adminMode = createRoute({
  getParentRoute: () => root,
  path: adminModePath,
  validateSearch: (search): { return_to?: string | undefined } => ({ return_to: text(search.return_to) }),
  beforeLoad: async ({ location }) => {
    await signedIn({ location });
    const session = await currentSession();
    if (!session.admin && session.admin_mode !== false) throw forbidden();
  },
  component: lazyRouteComponent(() => import('../features/account/AdminModePage.tsx')),
});
const start = createRoute({
  ...inAdmin,
  path: '/admin',
  loader: async () => (await loaders()).loadOverview(),
  component: lazyRouteComponent(() => import('../features/admin/OverviewPage.tsx')),
});
const usage = createRoute({
  ...inAdmin,
  path: '/admin/usage',
  loader: async () => (await loaders()).loadUsage(),
  component: lazyRouteComponent(() => import('../features/admin/UsagePage.tsx')),
});
const found = (search: Record<string, unknown>): { search?: string | undefined; page?: number | undefined } => ({
  search: text(search.search),
  page: number(search.page),
});
const projects = createRoute({
  ...inAdmin,
  path: '/admin/projects',
  validateSearch: found,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await loaders()).loadProjects(deps),
  component: lazyRouteComponent(() => import('../features/admin/ProjectsPage.tsx')),
});
const groups = createRoute({
  ...inAdmin,
  path: '/admin/groups',
  validateSearch: found,
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await loaders()).loadGroups(deps),
  component: lazyRouteComponent(() => import('../features/admin/GroupsPage.tsx')),
});
const jobs = createRoute({
  ...inAdmin,
  path: '/admin/background_jobs',
  validateSearch: (search): { status?: JobStatus | undefined } => ({
    status: jobStatuses.find((each) => each === search.status),
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await loaders()).loadJobs(deps.status),
  component: lazyRouteComponent(() => import('../features/admin/BackgroundJobsPage.tsx')),
});
const messages = createRoute({
  ...inAdmin,
  path: '/admin/broadcast_messages',
  loader: async () => (await loaders()).loadMessages(),
  component: lazyRouteComponent(() => import('../features/admin/BroadcastMessagesPage.tsx')),
});
const importList = createRoute({
  ...inAdmin,
  path: '/admin/imports',
  validateSearch: (search): { page?: number | undefined } => ({ page: number(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await loaders()).loadImports(deps.page),
  component: lazyRouteComponent(() => import('../features/admin/ImportsPage.tsx')),
});
const users = createRoute({
  ...inAdmin,
  path: '/admin/users',
  // The page and its loader read the words that they know.
  validateSearch: (search): Partial<Record<'search' | 'filter' | 'sort', string | undefined>> => ({
    ...{ search: text(search.search), filter: text(search.filter), sort: text(search.sort) },
  }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await loaders()).loadUsers(deps),
  component: lazyRouteComponent(() => import('../features/admin/UsersPage.tsx')),
});
const newUser = createRoute({
  ...inAdmin,
  path: '/admin/users/new',
  loader: () => load(registrationQuery),
  component: lazyRouteComponent(() => import('../features/admin/NewUserPage.tsx')),
});
const user = createRoute({
  ...inAdmin,
  path: '/admin/users/$username',
  loader: async ({ params }) => (await loaders()).loadAccount(params.username),
  component: lazyRouteComponent(() => import('../features/admin/UserPage.tsx')),
});
const editUser = createRoute({
  ...inAdmin,
  path: '/admin/users/$username/edit',
  loader: async ({ params }) => (await loaders()).loadAccount(params.username),
  component: lazyRouteComponent(() => import('../features/admin/EditUserPage.tsx')),
});
const runners = createRoute({
  ...inAdmin,
  path: '/admin/runners',
  loader: async () => queries.ensureInfiniteQueryData((await runnersData()).runnersOf({ kind: 'instance' })),
  component: lazyRouteComponent(() => import('../features/admin/RunnersPage.tsx')),
});
const runnerFleet = createRoute({
  ...inAdmin,
  path: '/admin/runner_fleet',
  validateSearch: (search): { by?: UsageGroup | undefined; month?: string | undefined } => {
    const month = text(search.month);
    return {
      by: search.by === 'project' ? 'project' : undefined,
      month: month && /^20\d\d-(0[1-9]|1[0-2])$/.test(month) ? month : undefined,
    };
  },
  loaderDeps: ({ search }) => search,
  loader: async ({ deps: { by = 'runner', month } }) => (await loaders()).loadFleet(by, month),
  component: lazyRouteComponent(() => import('../features/admin/RunnerFleetPage.tsx')),
});
const oneRunner = createRoute({ ...inAdmin, ...adminRunner });
const applications = createRoute({
  ...inAdmin,
  path: '/admin/applications',
  loader: async () => (await loaders()).loadApplications(),
  component: lazyRouteComponent(() => import('../features/admin/ApplicationsPage.tsx')),
});
const settings = createRoute({
  ...inAdmin,
  path: '/admin/application_settings/general',
  validateSearch: (search): SettingsSearch => ({
    search: text(search.search),
    topic: text(search.topic),
    changed: search.changed === true || undefined,
  }),
  loader: () => load(data.applicationSettings()),
  component: lazyRouteComponent(() => import('../features/admin/ApplicationSettingsPage.tsx')),
});

const appearance = createRoute({
  ...inAdmin,
  path: '/admin/application_settings/appearance',
  loader: async () => (await loaders()).loadAppearance(),
  component: lazyRouteComponent(() => import('../features/admin/AppearancePage.tsx')),
});

const topicList = createRoute({
  ...inAdmin,
  path: '/admin/topics',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => queries.ensureInfiniteQueryData((await topicsData()).topics(deps.search)),
  component: lazyRouteComponent(() => import('../features/admin/TopicsPage.tsx')),
});
const deployKeys = createRoute({
  ...inAdmin,
  path: '/admin/deploy_keys',
  validateSearch: (search): { public?: true | undefined } => ({ public: search.public === true || undefined }),
  loaderDeps: ({ search }) => search,
  loader: async ({ deps }) => (await loaders()).loadDeployKeys(deps.public ?? false),
  component: lazyRouteComponent(() => import('../features/admin/DeployKeysPage.tsx')),
});
const pushRule = createRoute({
  ...inAdmin,
  path: '/admin/push_rule',
  loader: async () => (await loaders()).loadPushRule(),
  component: lazyRouteComponent(() => import('../features/admin/PushRulePage.tsx')),
});
const hooks = createRoute({
  ...inAdmin,
  path: '/admin/hooks',
  loader: async () => (await loaders()).loadHooks(),
  component: lazyRouteComponent(() => import('../features/admin/HooksPage.tsx')),
});

const integrationList = createRoute({
  ...inAdmin,
  path: '/admin/integrations',
  loader: async () => (await loaders()).loadIntegrations(),
  component: lazyRouteComponent(() => import('../features/admin/IntegrationsPage.tsx')),
});
const backupList = createRoute({
  ...inAdmin,
  path: '/admin/backups',
  loader: async () => (await loaders()).loadBackups(),
  component: lazyRouteComponent(() => import('../features/admin/BackupsPage.tsx')),
});

export const adminRoutes = [
  start,
  usage,
  projects,
  groups,
  jobs,
  importList,
  messages,
  users,
  newUser,
  user,
  editUser,
  runners,
  oneRunner,
  runnerFleet,
  topicList,
  deployKeys,
  pushRule,
  hooks,
  integrationList,
  backupList,
  applications,
  appearance,
  settings,
] as const;
