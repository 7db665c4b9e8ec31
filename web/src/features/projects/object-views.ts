/** The pages of addresses of names only, loaded when the first one of their kind is shown: most people open projects. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { type NamedObject, oldAddress, resolveObject } from './object.ts';

export const ProjectView = lazyRouteComponent(() => import('./Arriving.tsx'), 'Arriving');
export const GroupView = lazyRouteComponent(() => import('../groups/GroupPage.tsx'));
export const ProfileView = lazyRouteComponent(() => import('../profile/ProfilePage.tsx'));

const views = { project: ProjectView, group: GroupView, user: ProfileView };

/** Finds out what the address names, and loads its page meanwhile where that is clear: only projects have two names or more. */
export async function loadObject(path: string): Promise<NamedObject> {
  if (path.includes('/') && oldAddress(path) === null) void views.project.preload?.();
  const named = await resolveObject(path);
  await views[named.kind].preload?.();
  return named;
}
