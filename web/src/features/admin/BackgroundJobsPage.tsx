/** Background jobs: what failed, runs and waits; failed ones are run again or deleted. */
import { Button, Group, SegmentedControl } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { client, unwrap } from '../../lib/api.ts';
import { type BackgroundJob, backgroundJobs, type JobStatus, jobStatuses } from '../../lib/background-jobs.ts';
import { counted } from '../../lib/counted.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import { CodeIndexes } from './CodeIndexes.tsx';

const badges = { failed: 'failed', running: 'running', ready: 'pending', delayed: 'scheduled' } as const;
const words = { failed: 'Failed', running: 'Running', ready: 'Pending', delayed: 'Delayed' } as const;

export default function BackgroundJobsPage() {
  const { status } = useSearch({ from: '/administration/admin/background_jobs' });
  const navigate = useNavigate();
  const cache = useQueryClient();
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(backgroundJobs(status));
  const found = data.pages.flatMap(({ items }) => items);
  const again = () => cache.invalidateQueries({ queryKey: ['background-jobs'] });
  const path = ({ id }: BackgroundJob) => ({ params: { path: { id } } });
  const retry = useMutation({
    mutationFn: (job: BackgroundJob) => unwrap(client.POST('/admin/background_jobs/{id}/retry', path(job))),
    onSuccess: again,
  });
  const removing = useConfirmed(
    (job: BackgroundJob) => unwrap(client.DELETE('/admin/background_jobs/{id}', path(job))),
    again,
  );
  const choose = (value: string) =>
    void navigate({
      to: '/admin/background_jobs',
      search: { status: jobStatuses.find((each) => each === value) },
      replace: true,
    });
  return (
    <AdminFrame title="Background jobs" wide>
      <SegmentedControl
        size="xs"
        aria-label="Status"
        mb="md"
        value={status ?? ''}
        onChange={choose}
        data={[{ value: '', label: 'All' }, ...jobStatuses.map((value: JobStatus) => ({ value, label: words[value] }))]}
      />
      <FormError error={retry.error} />
      {found.length === 0 ? (
        <EmptyState title="No background jobs">No jobs have this status.</EmptyState>
      ) : (
        <DataList label="Background jobs">
          {found.map((job) => (
            <DataRow
              key={job.id}
              before={<StatusBadge status={badges[job.status]} />}
              title={<code>{job.task}</code>}
              meta={
                <>
                  <span>
                    {job.attempts} of {counted(job.max_attempts, 'attempt', 'attempts')}
                  </span>
                  <span>
                    created <TimeAgo at={job.created_at} />
                  </span>
                  {job.last_error ? <span>{job.last_error}</span> : null}
                </>
              }
              after={
                job.status === 'running' ? null : (
                  <Group gap="xs">
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Retry job ${job.id}`}
                      onClick={() => retry.mutate(job)}
                    >
                      Retry
                    </Button>
                    <Button
                      size="xs"
                      variant="subtle"
                      color="red"
                      aria-label={`Delete job ${job.id}`}
                      onClick={() => removing.ask(job)}
                    >
                      Delete
                    </Button>
                  </Group>
                )
              }
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      <CodeIndexes />
      <ConfirmDialog
        {...removing.dialog}
        title="Delete background job"
        text={`${removing.asked?.task ?? 'This job'} will not run. This cannot be undone.`}
        action="Delete job"
      />
    </AdminFrame>
  );
}
