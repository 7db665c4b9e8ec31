/** Pipeline schedules of a project: when each runs next, for which ref and in whose name. */
import { Button, NativeSelect } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  deleteSchedule,
  type ListedSchedule,
  playSchedule,
  schedules,
  schedulesKey,
  takeOwnership,
} from '../../lib/schedules.ts';
import { sessionQuery } from '../../lib/session.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './schedules.module.css';

/** The ref without what its full name begins with. */
const shortRef = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '');

/** How it went the last time. */
function LastRun({ pipeline }: { pipeline: NonNullable<ListedSchedule['last_pipeline']> }) {
  const { segment } = useProject();
  return (
    <span className={classes.last}>
      Last run <StatusBadge status={pipeline.status} compact />{' '}
      <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(pipeline.id) }}>
        #{pipeline.id}
      </Link>{' '}
      <TimeAgo at={pipeline.created_at} />
    </span>
  );
}

function ScheduleRow({ schedule }: { schedule: ListedSchedule }) {
  const { path, segment, level: own } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const user = session?.user ?? null;
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: schedulesKey(path) });
  const play = useMutation({
    mutationFn: () => playSchedule(path, schedule.id),
    onSuccess: () =>
      Promise.all([cache.invalidateQueries({ queryKey: ['project', path, 'pipelines'] }), again()]).then(
        () => undefined,
      ),
  });
  const mine = user !== null && schedule.owner?.id === user.id;
  const params = { path: segment, id: String(schedule.id) };
  return (
    <>
      <DataRow
        title={
          mine ? (
            <Link to="/p/$path/pipeline_schedules/$id/edit" params={params} data-entry>
              {schedule.description}
            </Link>
          ) : (
            <span>{schedule.description}</span>
          )
        }
        meta={
          <>
            <RefBadge name={shortRef(schedule.ref)} kind={schedule.ref.startsWith('refs/tags/') ? 'tag' : 'branch'} />
            <code>{schedule.cron}</code>
            <span>{schedule.cron_timezone}</span>
            {schedule.active ? (
              <span>
                Next run <TimeAgo at={schedule.next_run_at} />
              </span>
            ) : (
              <span>Inactive</span>
            )}
            {schedule.last_pipeline ? <LastRun pipeline={schedule.last_pipeline} /> : null}
            {schedule.owner ? <UserChip user={schedule.owner} /> : <span>No owner: it does not run</span>}
          </>
        }
        after={
          own >= level.developer ? (
            <>
              {play.isSuccess ? (
                <>
                  <span role="status">Pipeline started.</span>
                  <LinkButton to="/p/$path/pipelines" params={{ path: segment }} search={{ source: 'schedule' }}>
                    View
                  </LinkButton>
                </>
              ) : null}
              <Button
                size="xs"
                variant="default"
                loading={play.isPending}
                aria-label={`Run ${schedule.description}`}
                onClick={() => play.mutate()}
              >
                Run
              </Button>
              {mine ? null : (
                <ConfirmButton
                  title="Take ownership"
                  about={`Take ownership of ${schedule.description}`}
                  text="Pipelines of this schedule will run with your permissions. Only its owner can edit it."
                  action="Take ownership"
                  run={() => takeOwnership(path, schedule.id)}
                  shown={again}
                />
              )}
              {mine || own >= level.maintainer ? (
                <ConfirmButton
                  title="Delete schedule"
                  about={`Delete ${schedule.description}`}
                  text={`“${schedule.description}” will be deleted with its variables. Pipelines that it created remain.`}
                  action="Delete schedule"
                  icon={<IconTrash size={16} />}
                  run={() => deleteSchedule(path, schedule.id)}
                  shown={again}
                />
              ) : null}
            </>
          ) : null
        }
      />
      {play.error ? (
        <li className={classes.error}>
          <FormError error={play.error} />
        </li>
      ) : null}
    </>
  );
}

export default function SchedulesPage() {
  const search = useSearch({ from: '/p/$path/pipeline_schedules' });
  const navigate = useNavigate({ from: '/p/$path/pipeline_schedules' });
  const { project, path, segment, level: own } = useProject();
  const { data } = useSuspenseQuery(schedules(path, search));
  useLive([`project:${project.id}:pipelines`], [schedulesKey(path)]);
  const filtered = search.scope !== undefined;
  return (
    <Page
      title={`Schedules · ${project.name_with_namespace}`}
      heading="Schedules"
      actions={
        own >= level.developer ? (
          <LinkButton to="/p/$path/pipeline_schedules/new" params={{ path: segment }} variant="filled">
            New schedule
          </LinkButton>
        ) : null
      }
    >
      <NativeSelect
        aria-label="State"
        className={classes.filter}
        value={search.scope ?? ''}
        onChange={(event) => {
          const scope = event.currentTarget.value || undefined;
          void navigate({ search: { scope } });
        }}
        data={[
          { value: '', label: 'All schedules' },
          { value: 'active', label: 'Active' },
          { value: 'inactive', label: 'Inactive' },
        ]}
      />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No schedules match your filter' : 'No schedules yet'}>
          {filtered
            ? 'Try removing a filter.'
            : 'A schedule runs a pipeline at set times: nightly builds, cleanups, reports.'}
        </EmptyState>
      ) : (
        <DataList label="Schedules">
          {data.items.map((each) => (
            <ScheduleRow key={each.id} schedule={each} />
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
