/** What stands behind an address of names only: a project's overview, a group or a person. */
import { useLoaderData } from '@tanstack/react-router';
import { GroupFrame } from '../groups/GroupFrame.tsx';
import GroupPage from '../groups/GroupPage.tsx';
import ProfilePage from '../profile/ProfilePage.tsx';
import { Arriving } from './Arriving.tsx';
import { ProjectFrame } from './ProjectFrame.tsx';

export default function ObjectPage() {
  const named = useLoaderData({ from: '/o/$path' });
  if (named.kind === 'group')
    return (
      <GroupFrame>
        <GroupPage />
      </GroupFrame>
    );
  if (named.kind === 'user') return <ProfilePage username={named.path} />;
  return (
    <ProjectFrame>
      <Arriving />
    </ProjectFrame>
  );
}
