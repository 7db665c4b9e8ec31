/** The runners of the instance as a fleet: versions that need an update, jobs and minutes of a month. */
import { Badge, Group, SegmentedControl, Text, TextInput } from '@mantine/core';
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { runnerUsage, runnerVersions, thisMonth, type UsageGroup } from '../../lib/fleet.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import ui from '../../ui/ui.module.css';
import { AdminFrame } from './AdminFrame.tsx';

const updates = {
  current: { label: 'Up to date', color: 'green' },
  available: { label: 'Update available', color: 'yellow' },
  required: { label: 'Update required', color: 'red' },
  unknown: { label: 'Unknown', color: 'gray' },
} as const;

const number = new Intl.NumberFormat('en');

function Versions() {
  const {
    data: { versions, api_version: release },
  } = useSuspenseQuery(runnerVersions);
  if (versions.length === 0)
    return (
      <EmptyState title="No versions yet">
        A runner reports its version with its first contact. The built-in runner always has the version of the server.
      </EmptyState>
    );
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        This instance serves API version {release}. Runners of an older major version are not supported.
      </Text>
      <div className={ui.scrolling} tabIndex={0}>
        <table className={ui.table} aria-label="Versions">
          <thead>
            <tr>
              <th>Version</th>
              <th>Update</th>
              <th className={ui.right}>Runners</th>
              <th className={ui.right}>Processes</th>
              <th className={ui.right}>Online</th>
            </tr>
          </thead>
          <tbody>
            {versions.map(({ version, update, runners, managers, online }) => (
              <tr key={version ?? ''}>
                <td>{version ?? 'Not reported'}</td>
                <td>
                  <Badge variant="light" color={updates[update].color}>
                    {updates[update].label}
                  </Badge>
                </td>
                <td className={ui.right}>{number.format(runners)}</td>
                <td className={ui.right}>{number.format(managers)}</td>
                <td className={ui.right}>{number.format(online)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Usage({ by, month }: { by: UsageGroup; month: string }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(runnerUsage(by, month));
  const rows = data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return <EmptyState title="No jobs">No jobs started in this month.</EmptyState>;
  return (
    <>
      <div className={ui.scrolling} tabIndex={0}>
        <table className={ui.table} aria-label="Usage">
          <thead>
            <tr>
              <th>{by === 'runner' ? 'Runner' : 'Project'}</th>
              <th className={ui.right}>Jobs</th>
              <th className={ui.right}>Failed</th>
              <th className={ui.right}>Minutes</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, name, jobs, failed, minutes }) => (
              <tr key={id}>
                <td>
                  {by === 'runner' ? (
                    <Link to="/admin/runners/$id" params={{ id: String(id) }}>
                      #{id} {name}
                    </Link>
                  ) : (
                    <a href={`/${name}`}>{name}</a>
                  )}
                </td>
                <td className={ui.right}>{number.format(jobs)}</td>
                <td className={ui.right}>{number.format(failed)}</td>
                <td className={ui.right}>{number.format(minutes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </>
  );
}

export default function RunnerFleetPage() {
  const { by = 'runner', month = thisMonth() } = useSearch({ from: '/administration/admin/runner_fleet' });
  const navigate = useNavigate();
  const choose = (part: { by?: UsageGroup; month?: string }) =>
    void navigate({ to: '/admin/runner_fleet', search: { by, month, ...part }, replace: true });
  return (
    <AdminFrame title="Runner fleet" wide>
      <h3>Versions</h3>
      <Versions />
      <h3>Usage</h3>
      <Group gap="md" mb="md" align="end">
        <SegmentedControl
          aria-label="Group by"
          value={by}
          onChange={(value) => choose({ by: value === 'project' ? 'project' : 'runner' })}
          data={[
            { value: 'runner', label: 'By runner' },
            { value: 'project', label: 'By project' },
          ]}
        />
        <TextInput
          type="month"
          label="Month (UTC)"
          value={month}
          onChange={(event) => {
            const next = event.currentTarget.value;
            if (/^20\d\d-(0[1-9]|1[0-2])$/.test(next)) choose({ month: next });
          }}
        />
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        Jobs that started in the month. Deleted jobs are not counted.
      </Text>
      <Usage by={by} month={month} />
    </AdminFrame>
  );
}
