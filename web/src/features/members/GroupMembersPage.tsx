/** Who takes part in a group, at which level, and inviting others. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import * as data from '../../lib/data.ts';
import { groupMembers } from '../../lib/members.ts';
import { fromSegment } from '../../lib/urls.ts';
import { Page } from '../../ui/Page.tsx';
import { MemberParts } from './MemberParts.tsx';

export default function GroupMembersPage() {
  const { path: segment = '' } = useParams({ strict: false });
  const path = fromSegment(segment);
  const { data: group } = useSuspenseQuery(data.group(path));
  const source = groupMembers(path);
  // Only those who decide about members may see who asks.
  const { isSuccess: manages } = useQuery({
    queryKey: [...source.key, 'requests'],
    queryFn: () => source.requests(),
    retry: false,
  });
  return (
    <Page
      title={`Members · ${group.full_name}`}
      heading="Members"
      actions={
        <Link to="/g/$path" params={{ path: segment }}>
          {group.full_name}
        </Link>
      }
    >
      <MemberParts source={source} groups={group.shared_with_groups} manages={manages} />
    </Page>
  );
}
