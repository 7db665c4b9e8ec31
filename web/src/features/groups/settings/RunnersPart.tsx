/** Runners of a group. */
import { RunnerManager } from '../../runners/RunnerManager.tsx';
import { PartHead } from '../../settings/PartHead.tsx';
import { useGroup } from '../useGroupForm.ts';

export default function RunnersPart() {
  const { path, group } = useGroup();
  return (
    <RunnerManager
      place={{ kind: 'group', id: group.id, path }}
      frame={(action, list) => (
        <>
          <PartHead title="Runners">{action}</PartHead>
          {list}
        </>
      )}
    />
  );
}
