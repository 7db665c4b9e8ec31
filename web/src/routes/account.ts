/** One's own account: every page of it stands beside the same list. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as accounts from '../lib/accounts.ts';
import * as data from '../lib/data.ts';
import { queries } from '../lib/queries.ts';
import { registrationQuery } from '../lib/registration.ts';
import { ownLog } from './audit.ts';
import { root, signedIn, twoFactorPath } from './base.ts';

const layout = createRoute({
  getParentRoute: () => root,
  id: 'account',
  beforeLoad: signedIn,
  component: lazyRouteComponent(() => import('../features/account/AccountLayout.tsx')),
});
const under = { getParentRoute: () => layout } as const;
const load = queries.ensureQueryData.bind(queries);

const profile = createRoute({
  ...under,
  path: '/-/user_settings/profile',
  loader: () => Promise.all([load(accounts.self()), load(accounts.ownStatus()), load(accounts.ownEmails())]),
  component: lazyRouteComponent(() => import('../features/account/ProfileSettingsPage.tsx')),
});
/** The ecosystem's older address. */
const formerProfile = createRoute({
  ...under,
  path: '/-/profile',
  beforeLoad: () => {
    throw redirect({ to: '/-/user_settings/profile' });
  },
});
const account = createRoute({
  ...under,
  path: '/-/profile/account',
  loader: () => load(accounts.self()),
  component: lazyRouteComponent(() => import('../features/account/AccountPage.tsx')),
});
const password = createRoute({
  ...under,
  path: '/-/user_settings/password',
  loader: () => load(registrationQuery),
  component: lazyRouteComponent(() => import('../features/account/PasswordPage.tsx')),
});
const emails = createRoute({
  ...under,
  path: '/-/profile/emails',
  loader: () => Promise.all([load(accounts.self()), load(accounts.ownEmails())]),
  component: lazyRouteComponent(() => import('../features/account/EmailsPage.tsx')),
});
const sshKeys = createRoute({
  ...under,
  path: '/-/user_settings/ssh_keys',
  loader: () => load(accounts.ownSshKeys()),
  component: lazyRouteComponent(() => import('../features/account/SshKeysPage.tsx')),
});
const gpgKeys = createRoute({
  ...under,
  path: '/-/user_settings/gpg_keys',
  loader: () => load(accounts.ownGpgKeys()),
  component: lazyRouteComponent(() => import('../features/account/GpgKeysPage.tsx')),
});
const preferences = createRoute({
  ...under,
  path: '/-/profile/preferences',
  loader: () => load(accounts.preferences()),
  component: lazyRouteComponent(() => import('../features/account/PreferencesPage.tsx')),
});
const notificationSettings = createRoute({
  ...under,
  path: '/-/profile/notifications',
  loader: async () => {
    const { everywhere, ownGroups, ownProjects } = await import('../lib/notifications.ts');
    await Promise.all([
      ...[load(everywhere()), load(ownGroups()), load(ownProjects())],
      ...[load(accounts.self()), load(accounts.ownEmails())],
    ]);
  },
  component: lazyRouteComponent(() => import('../features/account/NotificationsPage.tsx')),
});
const tokens = createRoute({
  ...under,
  path: '/-/user_settings/personal_access_tokens',
  component: lazyRouteComponent(() => import('../features/tokens/TokensPage.tsx')),
});
const applications = createRoute({
  ...under,
  path: '/-/user_settings/applications',
  loader: async () => {
    const { applicationsOf, authorizedApplications, ownApplications } = await import('../lib/applications.ts');
    await Promise.all([load(authorizedApplications()), load(applicationsOf(ownApplications))]);
  },
  component: lazyRouteComponent(() => import('../features/account/ApplicationsPage.tsx')),
});
const twoFactor = createRoute({
  ...under,
  path: twoFactorPath,
  loader: () => load(data.twoFactor()),
  component: lazyRouteComponent(() => import('../features/account/TwoFactorPage.tsx')),
});
const sessions = createRoute({
  ...under,
  path: '/-/user_settings/active_sessions',
  loader: () => load(data.activeSessions()),
  component: lazyRouteComponent(() => import('../features/account/SessionsPage.tsx')),
});
const authenticationLog = createRoute({
  ...under,
  ...ownLog,
  path: '/-/user_settings/authentication_log',
  component: lazyRouteComponent(() => import('../features/account/AuthenticationLogPage.tsx')),
});

export const accountRoutes = layout.addChildren([
  profile,
  formerProfile,
  account,
  password,
  emails,
  sshKeys,
  gpgKeys,
  preferences,
  notificationSettings,
  tokens,
  applications,
  twoFactor,
  sessions,
  authenticationLog,
]);
