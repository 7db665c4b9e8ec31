/** What stands behind an address of names only: a project's overview or a group. */
import { useLoaderData } from '@tanstack/react-router';
import GroupPage from '../groups/GroupPage.tsx';
import { Overview } from './Overview.tsx';
import { ProjectFrame } from './ProjectFrame.tsx';

export default function ObjectPage() {
  const named = useLoaderData({ from: '/o/$path' });
  if (named.kind === 'group') return <GroupPage />;
  return (
    <ProjectFrame>
      <Overview />
    </ProjectFrame>
  );
}
