/** Background tasks that have not ended: those that failed with their last error, and what waits. */
import { NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { backgroundTasks, type TaskFilter, taskStates } from '../../lib/overview.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './overview.module.css';

const words: Readonly<Record<string, string>> = {
  failed: 'Failed',
  running: 'Running',
  ready: 'Waiting',
  delayed: 'Scheduled',
};

export default function BackgroundTasksPage() {
  const search = useSearch({ from: '/admin/background_jobs' });
  const navigate = useNavigate({ from: '/admin/background_jobs' });
  const { data } = useSuspenseQuery(backgroundTasks(search));
  return (
    <AdminFrame title="Background tasks" wide>
      <NativeSelect
        aria-label="State"
        mb="sm"
        maw={220}
        value={search.state ?? ''}
        onChange={(event) =>
          void navigate({ search: { state: (event.currentTarget.value || undefined) as TaskFilter['state'] } })
        }
        data={[
          { value: '', label: 'Any state' },
          ...taskStates.map((value) => ({ value, label: words[value] ?? value })),
        ]}
      />
      {data.items.length === 0 ? (
        <EmptyState title="No background tasks">Tasks are listed here until they end.</EmptyState>
      ) : (
        <DataList label="Background tasks">
          {data.items.map((task) => (
            <DataRow
              key={task.id}
              title={task.name}
              meta={
                <>
                  <span>{words[task.state] ?? task.state}</span>
                  <span>
                    Attempt {task.attempts} of {task.max_attempts}
                  </span>
                  {task.last_error ? <code className={classes.error}>{task.last_error.split('\n', 1)[0]}</code> : null}
                </>
              }
              after={<TimeAgo at={task.run_at} />}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </AdminFrame>
  );
}
