/** Branches that a group at the top protects in all of its projects. */
import { Text } from '@mantine/core';
import { groupBranches } from '../../../lib/protections.ts';
import { ProtectedBranches } from '../../protections/ProtectedBranches.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function BranchProtectionPart() {
  const { path, group } = useGroup();
  const [top = path] = path.split('/');
  if (group.parent_id !== null)
    return (
      <Text>
        Branches are protected by projects and by{' '}
        <a href={`/groups/${top}/-/settings?part=protected-branches`}>{top}</a>, the group at the top.
      </Text>
    );
  return <ProtectedBranches place={groupBranches(path)} />;
}
