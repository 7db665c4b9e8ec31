/** What was changed in a project, and by whom. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { readAuditFilter } from '../../lib/audit-filter.ts';
import { Page } from '../../ui/Page.tsx';
import { useProject } from '../projects/useProject.ts';
import { AuditLog } from './AuditLog.tsx';

export default function ProjectAuditPage() {
  const { project, path, segment } = useProject();
  const filter = useSearch({ from: '/p/$path/audit_events' });
  const navigate = useNavigate();
  return (
    <Page title={`Audit events · ${project.name_with_namespace}`} heading="Audit events">
      <AuditLog
        place={{ kind: 'project', path }}
        filter={filter}
        go={(change) =>
          void navigate({
            to: '/p/$path/audit_events',
            params: { path: segment },
            search: readAuditFilter({ ...filter, ...change }),
            replace: true,
          })
        }
      />
    </Page>
  );
}
