/** Pages of the administration, with the list of them. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../../ui/Page.tsx';
import settings from '../settings/settings.module.css';

export function AdminFrame({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const current = (name: string) => (name === title ? ({ 'aria-current': 'page' } as const) : {});
  return (
    <Page title={`${title} · Administration`} heading="Administration" actions={actions}>
      <div className={settings.layout}>
        <nav aria-label="Administration" className={settings.list}>
          <Link to="/admin/users" {...current('Users')}>
            Users
          </Link>
          <Link to="/admin/runners" {...current('Runners')}>
            Runners
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
