/** One runner: its facts, the machines that use it, its last jobs, and its settings. */
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError, type Schemas } from '../../lib/api.ts';
import {
  changeRunner,
  deleteRunner,
  fieldsOf,
  manages,
  pauseRunner,
  type RunnerDetails,
  type RunnerPlace,
  runner,
  runnerJobs,
  runnerManagers,
  runnerQueue,
  runnersKey,
} from '../../lib/runners.ts';
import { duration } from '../../lib/time.ts';
import { toSegment } from '../../lib/urls.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useFields } from '../../ui/TextField.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { WaitingReason } from '../jobs/WaitingReason.tsx';
import { RunnerForm } from './RunnerForm.tsx';
import { kinds } from './RunnerList.tsx';
import { RunnerState } from './RunnerState.tsx';
import { RunnerTags } from './RunnerTags.tsx';
import classes from './runners.module.css';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Facts({ of }: { of: RunnerDetails }) {
  return (
    <dl className={classes.facts}>
      <Fact name="Status">
        <RunnerState runner={of} />
      </Fact>
      <Fact name="Type">{kinds[of.runner_type] ?? of.runner_type}</Fact>
      <Fact name="Last contact">{of.contacted_at ? <TimeAgo at={of.contacted_at} /> : 'Never'}</Fact>
      <Fact name="Version">{of.version ?? 'Unknown'}</Fact>
      <Fact name="Platform">{[of.platform, of.architecture].filter(Boolean).join(' ') || 'Unknown'}</Fact>
      <Fact name="IP address">{of.ip_address ?? 'Unknown'}</Fact>
      <Fact name="Tags">
        <span className={classes.takes}>
          {of.tag_list.length === 0 && of.access_level !== 'ref_protected' ? 'None' : <RunnerTags of={of} />}
        </span>
      </Fact>
      <Fact name="Job timeout">
        {of.maximum_timeout === null ? 'Set by the project' : duration(of.maximum_timeout)}
      </Fact>
      <Fact name="Created">
        <TimeAgo at={of.created_at} />
      </Fact>
      {of.created_by ? (
        <Fact name="Created by">
          <UserChip user={of.created_by} />
        </Fact>
      ) : null}
    </dl>
  );
}

/** Where a project runner takes jobs, the project that it belongs to first. */
function Projects({ of: { projects = [] } }: { of: RunnerDetails }) {
  if (projects.length < 2) return null;
  return (
    <section>
      <h3>Projects</h3>
      <DataList label="Projects">
        {projects.map((project, index) => (
          <DataRow
            key={project.id}
            title={
              <Link to="/p/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
                {project.name_with_namespace}
              </Link>
            }
            meta={index === 0 ? 'Owner' : null}
          />
        ))}
      </DataList>
    </section>
  );
}

function Managers({ id }: { id: number }) {
  const { data = [] } = useQuery(runnerManagers(id));
  if (data.length === 0) return null;
  return (
    <section>
      <h3>Machines</h3>
      <DataList label="Machines">
        {data.map((manager) => (
          <DataRow
            key={manager.id}
            title={manager.system_id}
            meta={
              <>
                <span>{manager.version ?? 'Unknown version'}</span>
                <span>{[manager.platform, manager.architecture].filter(Boolean).join(' ')}</span>
                {manager.ip_address ? <span>{manager.ip_address}</span> : null}
              </>
            }
            after={<TimeAgo at={manager.contacted_at} />}
          />
        ))}
      </DataList>
    </section>
  );
}

function JobRow({ job, reason }: { job: Schemas['RunnerJob']; reason?: boolean }) {
  return (
    <DataRow
      before={<StatusBadge status={job.status} compact />}
      title={
        <Link
          to="/p/$path/jobs/$id"
          params={{ path: toSegment(job.project.path_with_namespace), id: String(job.id) }}
          data-entry
        >
          {job.name}
        </Link>
      }
      meta={
        <>
          <span>#{job.id}</span>
          <span>{job.project.name_with_namespace}</span>
        </>
      }
      after={<TimeAgo at={job.created_at} />}
      below={reason ? <WaitingReason job={job} /> : null}
    />
  );
}

/** What waits for this runner, and why, as the pages of the jobs say it. */
function Queue({ id }: { id: number }) {
  const { data } = useQuery(runnerQueue(id));
  if (!data || data.items.length === 0) return null;
  const total = data.total ?? data.items.length;
  return (
    <section>
      <h3>Waiting jobs</h3>
      <DataList label="Waiting jobs">
        {data.items.map((job) => (
          <JobRow key={job.id} job={job} reason />
        ))}
      </DataList>
      {total > data.items.length ? (
        <p>
          The next {data.items.length} of {total} jobs.
        </p>
      ) : null}
    </section>
  );
}

function Jobs({ id }: { id: number }) {
  const { data } = useQuery(runnerJobs(id));
  if (!data) return null;
  return (
    <section>
      <h3>Jobs</h3>
      {data.length === 0 ? <p>This runner has not run any jobs that you can see.</p> : null}
      {data.length > 0 ? (
        <DataList label="Jobs">
          {data.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </DataList>
      ) : null}
    </section>
  );
}

interface Props {
  readonly id: number;
  readonly place: RunnerPlace;
}

export function RunnerView({ id, place }: Props) {
  const { data: of } = useSuspenseQuery(runner(id));
  const fields = useFields(fieldsOf(of));
  const own = manages(place, of);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const again = () => cache.invalidateQueries({ queryKey: runnersKey });
  const pausing = useMutation({ mutationFn: () => pauseRunner(id, !of.paused), onSuccess: again });
  const list = async () => {
    if (place.kind === 'instance') await navigate({ to: '/admin/runners' });
    else if (place.kind === 'group')
      await navigate({ to: '/g/$path/settings', params: { path: toSegment(place.path) }, search: { part: 'runners' } });
    else
      await navigate({ to: '/p/$path/settings', params: { path: toSegment(place.path) }, search: { part: 'runners' } });
  };
  return (
    <div className={classes.view}>
      {own ? (
        <div className={classes.bar}>
          <Button size="xs" variant="default" loading={pausing.isPending} onClick={() => pausing.mutate()}>
            {of.paused ? 'Resume' : 'Pause'}
          </Button>
          {of.details?.built_in ? (
            <Text size="sm" c="var(--mr-dim)">
              The built-in runner cannot be deleted. To turn it off, set <code>MILLRACE_RUNNER</code> to{' '}
              <code>off</code>.
            </Text>
          ) : (
            <ConfirmButton
              title="Delete runner"
              text={`#${of.id} ${of.description} will take no more jobs, and its token stops working.`}
              action="Delete runner"
              label="Delete"
              run={() => deleteRunner(id)}
              shown={list}
            />
          )}
        </div>
      ) : null}
      <FormError error={pausing.error instanceof ApiError ? pausing.error : null} />
      <Facts of={of} />
      <Managers id={id} />
      <Projects of={of} />
      <Queue id={id} />
      <Jobs id={id} />
      {own ? (
        <section>
          <h3>Settings</h3>
          <RunnerForm
            of={fields}
            lockable={of.runner_type === 'project_type'}
            action="Save"
            send={async (values) => {
              await changeRunner(id, values);
              await again();
            }}
          />
        </section>
      ) : null}
    </div>
  );
}
