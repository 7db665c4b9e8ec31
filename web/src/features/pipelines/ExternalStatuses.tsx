/** What other CI systems said of a commit, with links to where they said it. */
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { commitStatuses } from '../../lib/repository.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './pipelines.module.css';

/** Only http and https are followed: the address is whatever the other system said. */
const safe = (address: string | null) => (address !== null && /^https?:\/\//i.test(address) ? address : null);

interface ExternalStatusesProps {
  readonly sha: string;
  /** Only what belongs to this pipeline. */
  readonly pipelineId?: number;
  /** Jobs that run here: shown elsewhere. */
  readonly jobs?: ReadonlySet<number>;
}

export function ExternalStatuses({ sha, pipelineId, jobs }: ExternalStatusesProps) {
  const { path, project } = useProject();
  const { data } = useQuery(commitStatuses(path, sha, pipelineId));
  const shown = (data ?? []).filter(
    ({ id, target_url }) => !jobs?.has(id) && !target_url?.startsWith(`${project.web_url}/-/jobs/`),
  );
  if (shown.length === 0) return null;
  return (
    <section aria-label="Other CI systems" className={classes.external}>
      <h2 className={classes.externalTitle}>Other CI systems</h2>
      <DataList label="Statuses">
        {shown.map((status) => {
          const address = safe(status.target_url);
          return (
            <DataRow
              key={status.id}
              before={<StatusBadge status={status.status} />}
              title={
                address ? (
                  <Anchor href={address} target="_blank" rel="nofollow noopener noreferrer" data-entry>
                    {status.name}
                  </Anchor>
                ) : (
                  status.name
                )
              }
              meta={
                <>
                  {status.description ? <span>{status.description}</span> : null}
                  {status.coverage === null ? null : <span>coverage {status.coverage} %</span>}
                  {status.allow_failure ? <span>allowed to fail</span> : null}
                </>
              }
              after={<TimeAgo at={status.finished_at ?? status.created_at} />}
            />
          );
        })}
      </DataList>
    </section>
  );
}
