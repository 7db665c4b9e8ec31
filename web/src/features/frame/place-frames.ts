/** The headers of projects and groups, loaded with the first page of one. */
import { lazyRouteComponent } from '@tanstack/react-router';

export const ProjectFrame = lazyRouteComponent(() => import('../projects/ProjectFrame.tsx'), 'ProjectFrame');
export const GroupFrame = lazyRouteComponent(() => import('../groups/GroupFrame.tsx'), 'GroupFrame');
