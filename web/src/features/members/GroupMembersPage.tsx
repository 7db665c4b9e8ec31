/** Who takes part in a group, at which level, and inviting others. */
import { useNavigate } from '@tanstack/react-router';
import { groupMembers } from '../../lib/members.ts';
import { Page } from '../../ui/Page.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { level } from '../projects/useProject.ts';
import { MemberParts } from './MemberParts.tsx';

export default function GroupMembersPage() {
  const { group, path, segment, level: own } = useGroup();
  const navigate = useNavigate();
  return (
    <Page title={`Members · ${group.full_name}`} heading="Members">
      <MemberParts
        source={groupMembers(path)}
        groups={group.shared_with_groups}
        manages={own >= level.owner}
        seatsOf={group.parent_id === null ? path : null}
        go={(search) =>
          void navigate({ to: '/g/$path/group_members', params: { path: segment }, search, replace: true })
        }
      />
    </Page>
  );
}
