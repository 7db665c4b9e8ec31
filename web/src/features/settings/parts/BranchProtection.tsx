/** Protected branches of a project. */
import { projectBranches } from '../../../lib/protections.ts';
import { useProject } from '../../projects/useProject.ts';
import { ProtectedBranches } from '../../protections/ProtectedBranches.tsx';

export default function BranchProtection() {
  const { path, project } = useProject();
  return (
    <>
      <h2>Protected branches</h2>
      <ProtectedBranches place={projectBranches(path)} topics={[`project:${project.id}:refs`]} />
    </>
  );
}
