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
        <Text c="var(--mr-dim)">Programs that may ask everybody here for access to their account.</Text>
        <ApplicationManager source={instanceApplications} scopes={administratorScopes} />
      </Stack>
    </AdminFrame>
  );
}
