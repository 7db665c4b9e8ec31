/** What was changed in a group, and by whom. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { readAuditFilter } from '../../lib/audit-filter.ts';
import * as data from '../../lib/data.ts';
import { fromSegment } from '../../lib/urls.ts';
import { Page } from '../../ui/Page.tsx';
import { AuditLog } from './AuditLog.tsx';

export default function GroupAuditPage() {
  const { path: segment = '' } = useParams({ strict: false });
  const path = fromSegment(segment);
  const { data: group } = useSuspenseQuery(data.group(path));
  const filter = useSearch({ from: '/g/$path/audit_events' });
  const navigate = useNavigate();
  return (
    <Page title={`Audit events · ${group.full_name}`} heading="Audit events">
      <AuditLog
        place={{ kind: 'group', path }}
        filter={filter}
        go={(change) =>
          void navigate({
            to: '/g/$path/audit_events',
            params: { path: segment },
            search: readAuditFilter({ ...filter, ...change }),
            replace: true,
          })
        }
      />
    </Page>
  );
}
