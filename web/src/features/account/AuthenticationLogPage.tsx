/** What opened one's account, what tried to, and changes of what opens it. */
import { Stack, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { readAuditFilter } from '../../lib/audit-filter.ts';
import { Page } from '../../ui/Page.tsx';
import { AuditLog } from '../audit/AuditLog.tsx';

export default function AuthenticationLogPage() {
  const filter = useSearch({ from: '/account/-/user_settings/authentication_log' });
  const navigate = useNavigate();
  return (
    <Page title="Authentication log">
      <Stack gap="lg">
        <Text c="var(--mr-dim)">
          Sign-ins, failed attempts, and changes of your password and second factors. If you do not recognize an entry,
          change your password.
        </Text>
        <div>
          <AuditLog
            place={{ kind: 'self' }}
            filter={filter}
            go={(change) =>
              void navigate({
                to: '/-/user_settings/authentication_log',
                search: readAuditFilter({ ...filter, ...change }),
                replace: true,
              })
            }
          />
        </div>
      </Stack>
    </Page>
  );
}
