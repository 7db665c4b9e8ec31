/** Runners with their tags and states, each a link to its page. */
import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ListedRunner, RunnerPlace } from '../../lib/runners.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { RunnerLink } from './RunnerLink.tsx';
import { RunnerState } from './RunnerState.tsx';
import { RunnerTags } from './RunnerTags.tsx';
import classes from './runners.module.css';

export const kinds: Readonly<Record<string, string>> = {
  instance_type: 'Instance',
  group_type: 'Group',
  project_type: 'Project',
};

interface Props {
  readonly label: string;
  readonly place: RunnerPlace;
  readonly runners: readonly ListedRunner[];
  /** What can be done with one. */
  actions(runner: ListedRunner): ReactNode;
}

export function RunnerList({ label, place, runners, actions }: Props) {
  return (
    <DataList label={label}>
      {runners.map((runner) => (
        <DataRow
          key={runner.id}
          title={
            <RunnerLink place={place} id={runner.id}>
              #{runner.id} {runner.description}
            </RunnerLink>
          }
          meta={
            <>
              <Badge size="sm" variant="default">
                {kinds[runner.runner_type] ?? runner.runner_type}
              </Badge>
              {runner.details?.built_in ? (
                <Badge size="sm" variant="default">
                  Built-in
                </Badge>
              ) : null}
              {runner.details ? <RunnerTags of={runner.details} /> : null}
              {runner.details?.version ? <span>{runner.details.version}</span> : null}
              {runner.ip_address ? <span>{runner.ip_address}</span> : null}
              {runner.details?.contacted_at && !runner.online ? (
                <span>
                  Last contact <TimeAgo at={runner.details.contacted_at} />
                </span>
              ) : null}
              {runner.job_execution_status === 'active' ? <span>Running a job</span> : null}
            </>
          }
          after={
            <>
              <RunnerState runner={runner} />
              <span className={classes.actions}>{actions(runner)}</span>
            </>
          }
        />
      ))}
    </DataList>
  );
}
