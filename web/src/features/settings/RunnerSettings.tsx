/** Runners that take jobs of a project. */
import { useProject } from '../projects/useProject.ts';
import { RunnerManager } from '../runners/RunnerManager.tsx';

export function RunnerSettings() {
  const { project, path } = useProject();
  return (
    <>
      <h2>Runners</h2>
      <RunnerManager place={{ kind: 'project', id: project.id, path }} />
    </>
  );
}
