/** All runners of the instance. */
import { RunnerManager } from '../runners/RunnerManager.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function RunnersPage() {
  return (
    <AdminFrame title="Runners" wide>
      <RunnerManager place={{ kind: 'instance' }} />
    </AdminFrame>
  );
}
