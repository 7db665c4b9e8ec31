/** The state of the instance at a glance: health, sizes, background jobs, backups, runners and numbers, each leading to its page. */
import { Progress } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { backupSchedule, backups, isKept } from '../../lib/backups.ts';
import { counted } from '../../lib/counted.ts';
import { overview } from '../../lib/overview.ts';
import { bytes, duration } from '../../lib/time.ts';
import { toSegment } from '../../lib/urls.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './overview.module.css';

const checkNames: Readonly<Record<string, string>> = {
  database: 'Database',
  git_storage: 'Repository storage',
  object_storage: 'Object storage',
  queue: 'Background jobs',
};

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.card} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function LastBackup() {
  const { data } = useSuspenseInfiniteQuery(backups());
  const { data: schedule } = useSuspenseQuery(backupSchedule());
  const last = data.pages[0]?.items.find(isKept);
  return (
    <Card title="Backups">
      <p className={classes.large}>
        <Link to="/admin/backups">
          {last ? (
            <>
              Last backup <TimeAgo at={last.finished_at} />
            </>
          ) : (
            'No backups yet'
          )}
        </Link>
      </p>
      {schedule.enabled ? null : <p>No schedule is set.</p>}
    </Card>
  );
}

export default function OverviewPage() {
  const { data } = useSuspenseQuery(overview());
  const { counts, background_tasks: tasks, runners } = data;
  return (
    <AdminFrame title="Overview" wide>
      <div className={classes.cards}>
        <Card title="Health">
          <ul className={classes.checks}>
            {data.checks.map(({ name, healthy, message }) => (
              <li key={name} data-healthy={healthy}>
                {healthy ? <IconCircleCheck size={16} aria-hidden /> : <IconCircleX size={16} aria-hidden />}
                <span>
                  {checkNames[name] ?? name}: {healthy ? 'Healthy' : (message ?? 'Not available')}
                </span>
              </li>
            ))}
          </ul>
        </Card>
        <Card title="Version">
          <p className={classes.large}>Millrace {data.version}</p>
          <p>
            Commit {data.revision.slice(0, 8)}, Node.js {data.node_version}
          </p>
          <p>Running for {duration(data.uptime)}</p>
        </Card>
        <Card title="Database">
          <p className={classes.large}>{bytes(data.database.size)}</p>
          <p>PostgreSQL {data.database.version}</p>
          <p>{counted(data.database.connections, 'connection', 'connections')}</p>
        </Card>
        <Card title="Repository storages">
          {data.storages.map(({ name, size, free }) => (
            <div key={name}>
              <p>
                {name}:{' '}
                {size === null || free === null ? 'Not available' : `${bytes(free)} of ${bytes(size)} available`}
              </p>
              {size === null || free === null || size === 0 ? null : (
                <Progress
                  value={((size - free) / size) * 100}
                  color={free / size < 0.1 ? 'red' : 'race'}
                  aria-label={`Used space of ${name}`}
                />
              )}
            </div>
          ))}
        </Card>
        {data.repository_checks.enabled ? (
          <Card title="Repository checks">
            <p className={classes.large}>{data.repository_checks.failed} with problems</p>
            <p>{counted(data.repository_checks.checked, 'repository', 'repositories')} checked</p>
            {data.repository_checks.damaged.map(({ project_id, path, problem, checked_at }) => (
              <p key={path}>
                {project_id === null ? (
                  path
                ) : (
                  <Link to="/o/$path" params={{ path: toSegment(path) }}>
                    {path}
                  </Link>
                )}
                : {problem}, <TimeAgo at={checked_at} />
              </p>
            ))}
          </Card>
        ) : null}
        <Card title="Background jobs">
          <p className={classes.large}>
            <Link to="/admin/background_jobs" search={{ status: 'failed' }}>
              {tasks.failed} failed
            </Link>
          </p>
          <p>
            <Link to="/admin/background_jobs">{tasks.ready} waiting</Link>, {tasks.delayed} scheduled for later
          </p>
        </Card>
        <LastBackup />
        <Card title="Runners">
          <p className={classes.large}>
            <Link to="/admin/runners">
              {runners.online} of {runners.total} online
            </Link>
          </p>
        </Card>
        <Card title="People and projects">
          <p className={classes.large}>
            <Link to="/admin/users">{counted(counts.users, 'user', 'users')}</Link>
          </p>
          <p>
            <Link to="/admin/projects">{counted(counts.projects, 'project', 'projects')}</Link>,{' '}
            <Link to="/admin/groups">{counted(counts.groups, 'group', 'groups')}</Link>
          </p>
        </Card>
      </div>
    </AdminFrame>
  );
}
