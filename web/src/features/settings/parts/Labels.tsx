/** Labels of a project. */
import { LabelManager } from '../../labels/LabelManager.tsx';
import { useProject } from '../../projects/useProject.ts';

export default function Labels() {
  const { path } = useProject();
  return (
    <>
      <h2>Labels</h2>
      <LabelManager place={{ kind: 'project', path }} />
    </>
  );
}
