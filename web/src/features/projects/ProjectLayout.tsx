/** Pages of a project: below its header. */
import { Outlet } from '@tanstack/react-router';
import { ProjectFrame } from './ProjectFrame.tsx';

export default function ProjectLayout() {
  return (
    <ProjectFrame>
      <Outlet />
    </ProjectFrame>
  );
}
