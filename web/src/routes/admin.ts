/** The administration. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as accounts from '../lib/accounts.ts';
import { applicationsOf, instanceApplications } from '../lib/applications.ts';
import * as data from '../lib/data.ts';
import { allDeployKeys } from '../lib/deploy-keys.ts';
import { hooksOf, systemHooks } from '../lib/hooks.ts';
import { instancePushRule, pushRuleOf } from '../lib/push-rules.ts';
import { queries } from '../lib/queries.ts';
import { registrationQuery } from '../lib/registration.ts';
import { topics } from '../lib/topics.ts';
import { readUserFilter } from '../lib/user-filter.ts';
import { root, signedIn, text } from './base.ts';

const common = { getParentRoute: () => root, beforeLoad: signedIn } as const;
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

const adminMode = createRoute({
  ...common,
  path: '/admin/session/new',
  component: lazyRouteComponent(() => import('../features/account/AdminModePage.tsx')),
});
const start = createRoute({
  ...common,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/users' });
  },
});
const users = createRoute({
  ...common,
  path: '/admin/users',
  validateSearch: readUserFilter,
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(accounts.users(deps)),
  component: lazyRouteComponent(() => import('../features/admin/UsersPage.tsx')),
});
const newUser = createRoute({
  ...common,
  path: '/admin/users/new',
  loader: () => load(registrationQuery),
  component: lazyRouteComponent(() => import('../features/admin/NewUserPage.tsx')),
});
const user = createRoute({
  ...common,
  path: '/admin/users/$username',
  loader: loadAccount,
  component: lazyRouteComponent(() => import('../features/admin/UserPage.tsx')),
});
const editUser = createRoute({
  ...common,
  path: '/admin/users/$username/edit',
  loader: loadAccount,
  component: lazyRouteComponent(() => import('../features/admin/EditUserPage.tsx')),
});
const runners = createRoute({
  ...common,
  path: '/admin/runners',
  loader: () => load(data.allRunners()),
  component: lazyRouteComponent(() => import('../features/admin/RunnersPage.tsx')),
});
const applications = createRoute({
  ...common,
  path: '/admin/applications',
  loader: () => load(applicationsOf(instanceApplications)),
  component: lazyRouteComponent(() => import('../features/admin/ApplicationsPage.tsx')),
});
const settings = createRoute({
  ...common,
  path: '/admin/application_settings/general',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loader: () => load(data.applicationSettings()),
  component: lazyRouteComponent(() => import('../features/admin/ApplicationSettingsPage.tsx')),
});

const topicList = createRoute({
  ...common,
  path: '/admin/topics',
  validateSearch: (search): { search?: string | undefined } => ({ search: text(search.search) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(topics(deps.search)),
  component: lazyRouteComponent(() => import('../features/admin/TopicsPage.tsx')),
});
const deployKeys = createRoute({
  ...common,
  path: '/admin/deploy_keys',
  validateSearch: (search): { public?: true | undefined } => ({ public: search.public === true || undefined }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => queries.ensureInfiniteQueryData(allDeployKeys(deps.public ?? false)),
  component: lazyRouteComponent(() => import('../features/admin/DeployKeysPage.tsx')),
});
const pushRule = createRoute({
  ...common,
  path: '/admin/push_rule',
  loader: () => load(pushRuleOf(instancePushRule)),
  component: lazyRouteComponent(() => import('../features/admin/PushRulePage.tsx')),
});
const hooks = createRoute({
  ...common,
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
];
