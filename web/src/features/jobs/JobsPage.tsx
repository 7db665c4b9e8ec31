/** Jobs of a project, newest first, changing while they run. */
import { NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { jobsOf } from '../../lib/ci.ts';
import { duration } from '../../lib/time.ts';
import { useLive } from '../../lib/useLive.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { StatusBadge, statusChoices } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { RefLink } from '../pipelines/RefLink.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './jobs.module.css';
import { WaitingReason } from './WaitingReason.tsx';

export default function JobsPage() {
  const search = useSearch({ from: '/p/$path/jobs' });
  const navigate = useNavigate({ from: '/p/$path/jobs' });
  const { project, path, segment } = useProject();
  const { data } = useSuspenseQuery(jobsOf(path, search));
  useLive([`project:${project.id}:pipelines`], [['project', path, 'jobs']]);
  return (
    <Page title={`Jobs · ${project.name_with_namespace}`} heading="Jobs">
      <NativeSelect
        aria-label="Status"
        className={classes.filter}
        value={search.status ?? ''}
        onChange={(event) => {
          const status = event.currentTarget.value;
          void navigate({ search: { status: status || undefined } });
        }}
        data={[{ value: '', label: 'Any status' }, ...statusChoices]}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.status ? 'No jobs match your filter' : 'No jobs yet'}>
          {search.status ? 'Try removing the filter.' : 'Jobs are listed here once a pipeline has run.'}
        </EmptyState>
      ) : (
        <DataList label="Jobs">
          {data.items.map((job) => (
            <DataRow
              key={job.id}
              before={
                <span className={classes.status}>
                  <StatusBadge status={job.status} />
                </span>
              }
              title={
                <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(job.id) }} data-entry>
                  {job.name}
                </Link>
              }
              meta={
                <>
                  <span>#{job.id}</span>
                  <Link
                    to="/p/$path/pipelines/$id"
                    params={{ path: segment, id: String(job.pipeline.id) }}
                    className={classes.pipeline}
                  >
                    Pipeline #{job.pipeline.id}
                  </Link>
                  <span>{job.stage}</span>
                  <RefLink name={job.ref} tag={job.tag} segment={segment} />
                  {job.duration === null ? null : <span>{duration(job.duration)}</span>}
                </>
              }
              after={<TimeAgo at={job.created_at} />}
              below={job.waiting && job.waiting.reason !== 'manual' ? <WaitingReason job={job} /> : null}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </Page>
  );
}
