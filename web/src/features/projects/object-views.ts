/** The pages of addresses of names only, loaded when the first one of their kind is shown: most people open projects. */
import { lazyRouteComponent } from '@tanstack/react-router';
import { GroupFrame, ProjectFrame } from '../frame/place-frames.ts';
import { type NamedObject, resolveObject } from './object.ts';

export const ProjectView = lazyRouteComponent(() => import('./Arriving.tsx'), 'Arriving');
export const GroupView = lazyRouteComponent(() => import('../groups/GroupPage.tsx'));
export const ProfileView = lazyRouteComponent(() => import('../profile/ProfilePage.tsx'));

/** With the header above it, which people have none of. */
const views = {
  project: () => Promise.all([ProjectView.preload?.(), ProjectFrame.preload?.()]),
  group: () => Promise.all([GroupView.preload?.(), GroupFrame.preload?.()]),
  user: () => ProfileView.preload?.(),
};

/** Finds out what the address names, and loads its page meanwhile where that is clear: only projects have two names or more. */
export async function loadObject(path: string): Promise<NamedObject> {
  if (path.includes('/')) void views.project();
  const named = await resolveObject(path);
  await views[named.kind]();
  return named;
}
