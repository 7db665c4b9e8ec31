/** Pages of the administration, with the list of them. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/Page.tsx';
import sideList from '../../ui/side-list.module.css';
import settings from '../settings/settings.module.css';

interface AdminFrameProps {
  title: string;
  /** The part of the list that it belongs to, when the title is that of one thing in it. */
  part?: string;
  actions?: ReactNode;
  children: ReactNode;
}

export function AdminFrame({ title, part = title, actions, children }: AdminFrameProps) {
  const current = (name: string) => (name === part ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <Page title={`${title} · Administration`} heading="Administration" actions={actions}>
      <div className={settings.layout}>
        <nav aria-label="Administration" className={sideList.list}>
          <Link to="/admin/users" {...current('Users')}>
            Users
          </Link>
          <Link to="/admin/audit_logs" {...current('Audit log')}>
            Audit log
          </Link>
          <Link to="/admin/runners" {...current('Runners')}>
            Runners
          </Link>
          <Link to="/admin/applications" {...current('Applications')}>
            Applications
          </Link>
          <Link to="/admin/application_settings/general" {...current('Settings')}>
            Settings
          </Link>
        </nav>
        <section aria-label={title} className={settings.part}>
          <h2>{title}</h2>
          {children}
        </section>
      </div>
    </Page>
  );
}
