/** The front of a project below its header. */
import { Arriving } from './Arriving.tsx';
import { ProjectFrame } from './ProjectFrame.tsx';

export default function ProjectView() {
  return (
    <ProjectFrame>
      <Arriving />
    </ProjectFrame>
  );
}
