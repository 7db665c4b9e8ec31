/** The administration. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as accounts from '../lib/accounts.ts';
import { forbidden } from '../lib/api.ts';
import { applicationsOf, instanceApplications } from '../lib/applications.ts';
import * as data from '../lib/data.ts';
import { allDeployKeys } from '../lib/deploy-keys.ts';
import { hooksOf, systemHooks } from '../lib/hooks.ts';
import { instancePushRule, pushRuleOf } from '../lib/push-rules.ts';
import { queries } from '../lib/queries.ts';
import { registrationQuery } from '../lib/registration.ts';
import { currentSession } from '../lib/session.ts';
import { topics } from '../lib/topics.ts';
import { readUserFilter } from '../lib/user-filter.ts';
import { adminModePath, inAdmin, root, signedIn, text } from './base.ts';

const load = queries.ensureQueryData.bind(queries);

/** The account, with what belongs to it. */
async function loadAccount({ params }: { params: { username: string } }) {
  const { id } = await load(accounts.userByName(params.username));
  const of = accounts.ofUser(id);
  await Promise.all([
    load(of.details()),
    load(of.memberships()),
    load(of.sshKeys()),
    load(of.gpgKeys()),
    load(of.emails()),
    load(of.counts()),
  ]);
}

/** For administrators who have no rights of one until they prove themselves again. */
const adminMode = createRoute({
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
  getParentRoute: () => root,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/users' });
  },
});
const users = createRoute({
  ...inAdmin,
  path: '/admin/users',
  validateSearch: readUserFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(accounts.users(deps)),
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
  loader: loadAccount,
  component: lazyRouteComponent(() => import('../features/admin/UserPage.tsx')),
});
const editUser = createRoute({
  ...inAdmin,
  path: '/admin/users/$username/edit',
  loader: loadAccount,
  component: lazyRouteComponent(() => import('../features/admin/EditUserPage.tsx')),
});
const runners = createRoute({
  ...inAdmin,
  path: '/admin/runners',
  loader: () => load(data.allRunners()),
  component: lazyRouteComponent(() => import('../features/admin/RunnersPage.tsx')),
});
const applications = createRoute({
  ...inAdmin,
  path: '/admin/applications',
  loader: () => load(applicationsOf(instanceApplications)),
  component: lazyRouteComponent(() => import('../features/admin/ApplicationsPage.tsx')),
});
const settings = createRoute({
  ...inAdmin,
  path: '/admin/application_settings/general',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loader: () => load(data.applicationSettings()),
  component: lazyRouteComponent(() => import('../features/admin/ApplicationSettingsPage.tsx')),
});

const topicList = createRoute({
  ...inAdmin,
  path: '/admin/topics',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(topics(deps.search)),
  component: lazyRouteComponent(() => import('../features/admin/TopicsPage.tsx')),
});
const deployKeys = createRoute({
  ...inAdmin,
  path: '/admin/deploy_keys',
  validateSearch: (search): { public?: true | undefined } => ({ public: search.public === true || undefined }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(allDeployKeys(deps.public ?? false)),
  component: lazyRouteComponent(() => import('../features/admin/DeployKeysPage.tsx')),
});
const pushRule = createRoute({
  ...inAdmin,
  path: '/admin/push_rule',
  loader: () => load(pushRuleOf(instancePushRule)),
  component: lazyRouteComponent(() => import('../features/admin/PushRulePage.tsx')),
});
const hooks = createRoute({
  ...inAdmin,
  path: '/admin/hooks',
  loader: () => load(hooksOf(systemHooks)),
  component: lazyRouteComponent(() => import('../features/admin/HooksPage.tsx')),
});

export const adminRoutes = [
  adminMode,
  start,
  users,
  newUser,
  user,
  editUser,
  runners,
  topicList,
  deployKeys,
  pushRule,
  hooks,
  applications,
  settings,
] as const;
