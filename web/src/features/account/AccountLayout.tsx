/** The pages of one's own account, beside the list of them. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import sideList from '../../ui/side-list.module.css';
import classes from './account.module.css';

const pages = [
  ['/-/user_settings/profile', 'Profile'],
  ['/-/profile/account', 'Account'],
  ['/-/user_settings/password', 'Password'],
  ['/-/profile/two_factor_auth', 'Two-factor authentication'],
  ['/-/profile/emails', 'E-mail addresses'],
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
  const path = useLocation({ select: (location) => location.pathname });
  const list = useRef<HTMLElement>(null);
  // Where the list is one line, the page that is open must be in sight.
  useEffect(() => {
    const current = path && list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current && list.current) list.current.scrollLeft = current.offsetLeft - list.current.offsetLeft - 16;
  }, [path]);
  return (
    <div className={classes.layout}>
      <div className={classes.side}>
        <h2>Your account</h2>
        <nav aria-label="Your account" className={sideList.list} ref={list}>
          {pages.map(([to, label]) => (
            <Link key={to} to={to}>
              {label}
            </Link>
          ))}
        </nav>
      </div>
      <div className={classes.page}>
        <Outlet />
      </div>
    </div>
  );
}
