/** All runners of the instance. */
import { RunnerManager } from '../runners/RunnerManager.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function RunnersPage() {
  return (
    <RunnerManager
      place={{ kind: 'instance' }}
      frame={(action, list) => (
        <AdminFrame title="Runners" wide actions={action}>
          {list}
        </AdminFrame>
      )}
    />
  );
}
