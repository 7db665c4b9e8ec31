/** Pages of the administration, beside the list of them. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Page } from '../../ui/Page.tsx';
import { SideList } from '../../ui/SideList.tsx';
import settings from '../settings/settings.module.css';

export const pages = [
  ['/admin', 'Overview'],
  ['/admin/usage', 'Usage and limits'],
  ['/admin/users', 'Users'],
  ['/admin/projects', 'Projects'],
  ['/admin/groups', 'Groups'],
  ['/admin/topics', 'Topics'],
  ['/admin/deploy_keys', 'Deploy keys'],
  ['/admin/push_rule', 'Push rules'],
  ['/admin/hooks', 'System hooks'],
  ['/admin/integrations', 'Integrations'],
  ['/admin/broadcast_messages', 'Broadcast messages'],
  ['/admin/background_jobs', 'Background jobs'],
  ['/admin/imports', 'Imports'],
  ['/admin/backups', 'Backups'],
  ['/admin/vulnerability_report', 'Vulnerabilities'],
  ['/admin/audit_logs', 'Audit log'],
  ['/admin/runners', 'Runners'],
  ['/admin/runner_fleet', 'Runner fleet'],
  ['/admin/applications', 'Applications'],
  ['/admin/application_settings/appearance', 'Appearance'],
  ['/admin/application_settings/general', 'Settings'],
] as const;

/** The page of the list that an address is of, or below. */
const partOf = (pathname: string): string | undefined =>
  pages.map(([to]) => to).findLast((to) => pathname === to || (to !== '/admin' && pathname.startsWith(`${to}/`)));

export default function AdminLayout() {
  const part = useLocation({ select: ({ pathname }) => partOf(pathname) });
  return (
    <Page title={null} heading="Administration">
      <div className={settings.layout} data-wide>
        <SideList label="Administration">
          {pages.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ exact: true }} {...(to === part ? { 'aria-current': 'page' } : {})}>
              {name}
            </Link>
          ))}
        </SideList>
        <Outlet />
      </div>
    </Page>
  );
}
