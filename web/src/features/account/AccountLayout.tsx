/** The pages of one's own account, beside the list of them. */
import { Link, Outlet, useMatches } from '@tanstack/react-router';
import { Settled } from '../../ui/Settled.tsx';
import { SideList } from '../../ui/SideList.tsx';
import classes from './account.module.css';

export const pages = [
  ['/-/user_settings/profile', 'Profile'],
  ['/-/profile/account', 'Account'],
  ['/-/user_settings/password', 'Password'],
  ['/-/profile/two_factor_auth', 'Two-factor authentication'],
  ['/-/profile/emails', 'Email addresses'],
  ['/-/user_settings/personal_access_tokens', 'Access tokens'],
  ['/-/user_settings/applications', 'Applications'],
  ['/-/user_settings/ssh_keys', 'SSH keys'],
  ['/-/user_settings/gpg_keys', 'GPG keys'],
  ['/-/user_settings/authentication_log', 'Authentication log'],
  ['/-/user_settings/active_sessions', 'Active sessions'],
  ['/-/profile/notifications', 'Notifications'],
  ['/-/profile/preferences', 'Preferences'],
] as const;

export default function AccountLayout() {
  // Of the page that is shown: the next one's address is there before it.
  const page = useMatches({ select: (matches) => matches.at(-1)?.id });
  return (
    <div className={classes.layout}>
      <div className={classes.side}>
        <h2>Your account</h2>
        <SideList label="Your account">
          {pages.map(([to, label]) => (
            <Link key={to} to={to}>
              {label}
            </Link>
          ))}
        </SideList>
      </div>
      <div className={classes.page}>
        <Settled key={page}>
          <Outlet />
        </Settled>
      </div>
    </div>
  );
}
