/** What stands behind an address of names only: a project's overview, a group or a person. */
import { useLoaderData } from '@tanstack/react-router';
import { GroupView, ProfileView, ProjectView } from './object-views.ts';

export function ObjectPage() {
  const named = useLoaderData({ from: '/o/$path' });
  if (named.kind === 'group') return <GroupView />;
  if (named.kind === 'user') return <ProfileView username={named.path} />;
  return <ProjectView />;
}
