/** Pages of the administration, with the list of them. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/Page.tsx';
import { Settled } from '../../ui/Settled.tsx';
import { SideList } from '../../ui/SideList.tsx';
import settings from '../settings/settings.module.css';

const pages = [
  ['/admin', 'Overview'],
  ['/admin/usage', 'Usage and limits'],
  ['/admin/users', 'Users'],
  ['/admin/projects', 'Projects'],
  ['/admin/groups', 'Groups'],
  ['/admin/topics', 'Topics'],
  ['/admin/deploy_keys', 'Deploy keys'],
  ['/admin/push_rule', 'Push rule'],
  ['/admin/hooks', 'System hooks'],
  ['/admin/integrations', 'Integrations'],
  ['/admin/background_jobs', 'Background jobs'],
  ['/admin/imports', 'Imports'],
  ['/admin/backups', 'Backups'],
  ['/admin/vulnerability_report', 'Vulnerabilities'],
  ['/admin/audit_logs', 'Audit log'],
  ['/admin/runners', 'Runners'],
  ['/admin/runner_fleet', 'Runner fleet'],
  ['/admin/applications', 'Applications'],
  ['/admin/application_settings/general', 'Settings'],
] as const;

interface AdminFrameProps {
  title: string;
  /** The part of the list that it belongs to, when the title is that of one thing in it. */
  part?: string;
  actions?: ReactNode;
  /** Lists use the whole width; forms are read in one column. */
  wide?: boolean;
  children: ReactNode;
}

export function AdminFrame({ title, part = title, actions, wide = false, children }: AdminFrameProps) {
  const current = (name: string) => (name === part ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <Page title={`${title} · Administration`} heading="Administration" actions={actions}>
      <div className={settings.layout} data-wide={wide || undefined}>
        <SideList label="Administration">
          {pages.map(([to, name]) => (
            <Link key={to} to={to} activeOptions={{ exact: true }} {...current(name)}>
              {name}
            </Link>
          ))}
        </SideList>
        <section aria-label={title} className={settings.part}>
          <h2>{title}</h2>
          <Settled key={title}>{children}</Settled>
        </section>
      </div>
    </Page>
  );
}
