/** Webhooks of a project. */
import { projectHooks } from '../../../lib/hooks.ts';
import { HookManager } from '../../hooks/HookManager.tsx';
import { useProject } from '../../projects/useProject.ts';

export default function Webhooks() {
  const { path } = useProject();
  return (
    <>
      <h2>Webhooks</h2>
      <HookManager place={projectHooks(path)} />
    </>
  );
}
