/** Applications of the instance. */
import { Stack, Text } from '@mantine/core';
import { instanceApplications } from '../../lib/applications.ts';
import { ApplicationManager } from '../applications/ApplicationManager.tsx';
import { administratorScopes } from '../tokens/scopes.ts';
import { AdminFrame } from './AdminFrame.tsx';

export default function ApplicationsPage() {
  return (
    <AdminFrame title="Applications">
      <Stack gap="lg">
        <Text c="var(--mr-dim)">
          Applications that can ask all users of this instance for access to their accounts.
        </Text>
        <ApplicationManager source={instanceApplications} scopes={administratorScopes} />
      </Stack>
    </AdminFrame>
  );
}
