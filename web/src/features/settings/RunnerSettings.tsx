/** Runners that take jobs of a project. */
import { useProject } from '../projects/useProject.ts';
import { RunnerManager } from '../runners/RunnerManager.tsx';
import { PartHead } from './PartHead.tsx';

export function RunnerSettings() {
  const { project, path } = useProject();
  return (
    <RunnerManager
      place={{ kind: 'project', id: project.id, path }}
      frame={(action, list) => (
        <>
          <PartHead title="Runners">{action}</PartHead>
          {list}
        </>
      )}
    />
  );
}
