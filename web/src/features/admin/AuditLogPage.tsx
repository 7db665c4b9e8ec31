/** Everything that was changed on the instance, and by whom. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { readAuditFilter } from '../../lib/audit-filter.ts';
import { AuditLog } from '../audit/AuditLog.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function AuditLogPage() {
  const filter = useSearch({ from: '/administration/admin/audit_logs' });
  const navigate = useNavigate();
  return (
    <AdminFrame title="Audit log" wide>
      <AuditLog
        place={{ kind: 'instance' }}
        filter={filter}
        go={(change) =>
          void navigate({
            to: '/admin/audit_logs',
            search: readAuditFilter({ ...filter, ...change }),
            replace: true,
          })
        }
      />
    </AdminFrame>
  );
}
