/** Runners with their states. */
import type { Schemas } from '../../lib/api.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';

const kinds: Readonly<Record<string, string>> = {
  instance_type: 'instance',
  group_type: 'group',
  project_type: 'project',
};
const states: Readonly<Record<string, string>> = {
  online: 'Online',
  offline: 'Offline',
  stale: 'Not heard of for long',
  never_contacted: 'Never called',
};

export function RunnerList({ runners }: { runners: readonly Schemas['Runner'][] }) {
  return (
    <DataList label="Runners">
      {runners.map((runner) => (
        <DataRow
          key={runner.id}
          title={`#${runner.id} ${runner.description}`}
          meta={
            <>
              <span>{kinds[runner.runner_type] ?? runner.runner_type}</span>
              {runner.ip_address ? <span>{runner.ip_address}</span> : null}
              {runner.job_execution_status === 'active' ? <span>running a job</span> : null}
            </>
          }
          after={<span>{runner.paused ? 'Paused' : (states[runner.status] ?? runner.status)}</span>}
        />
      ))}
    </DataList>
  );
}
