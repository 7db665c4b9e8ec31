/** Service accounts of a group at the top. */
import { Text } from '@mantine/core';
import { groupServiceAccounts } from '../../../lib/service-accounts.ts';
import { ServiceAccountManager } from '../../service-accounts/ServiceAccountManager.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function ServiceAccountsPart() {
  const { group, path } = useGroup();
  const [top = path] = path.split('/');
  if (group.parent_id !== null)
    return (
      <Text>
        Service accounts belong to <a href={`/groups/${top}/-/settings?part=service-accounts`}>{top}</a>, the group at
        the top.
      </Text>
    );
  return <ServiceAccountManager place={groupServiceAccounts(path)} />;
}
