/** OAuth applications of a group. */
import { Text } from '@mantine/core';
import { groupApplications } from '../../../lib/applications.ts';
import { ApplicationManager } from '../../applications/ApplicationManager.tsx';
import { personalScopes } from '../../tokens/scopes.ts';
import { useGroup } from '../useGroupForm.ts';

export default function ApplicationsPart() {
  const { path } = useGroup();
  return (
    <>
      <Text c="var(--mr-dim)" mb="md">
        Applications of this group that can ask users for access to their accounts.
      </Text>
      <ApplicationManager source={groupApplications(path)} scopes={personalScopes} />
    </>
  );
}
