/** Usage and limits: storage, accounts, rate limits, CI and background jobs, from figures of now. */
import { Box, Progress } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { counted } from '../../lib/counted.ts';
import { usage } from '../../lib/overview.ts';
import { bytes } from '../../lib/time.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './overview.module.css';

const kindNames = {
  repository: 'Repositories',
  wiki: 'Wikis',
  lfs_objects: 'Git LFS',
  job_artifacts: 'Job artifacts and logs',
  pipeline_artifacts: 'Pipeline artifacts',
  snippets: 'Snippets',
  uploads: 'Uploads',
  code_index: 'Code search index',
} as const;

const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);

function Storage() {
  const { storage } = useSuspenseQuery(usage()).data;
  const largest = Math.max(...storage.kinds.map((each) => each.bytes));
  const most = storage.projects[0]?.storage_size ?? 0;
  return (
    <>
      <h3>Storage by kind</h3>
      <DataList label="Storage by kind">
        {storage.kinds.map(({ kind, bytes: size }) => (
          <DataRow
            key={kind}
            // As wide as the longest, so that the bars begin below each other.
            title={
              <Box component="span" display="inline-block" w={180}>
                {kindNames[kind]}
              </Box>
            }
            meta={
              <Progress value={percent(size, largest)} w="min(320px, 60vw)" color="race" aria-label={kindNames[kind]} />
            }
            after={bytes(size)}
          />
        ))}
      </DataList>
      <h3>Largest projects</h3>
      {storage.projects.length === 0 ? (
        <EmptyState title="No storage used yet">Sizes are updated after each push and upload.</EmptyState>
      ) : (
        <DataList label="Largest projects">
          {storage.projects.map((project) => (
            <DataRow
              key={project.id}
              title={
                <Link to="/o/$path" params={{ path: toSegment(project.path_with_namespace) }} data-entry>
                  {project.path_with_namespace}
                </Link>
              }
              meta={
                <>
                  <Progress
                    value={percent(project.storage_size, most)}
                    w="min(160px, 40vw)"
                    color="race"
                    aria-label={`Storage of ${project.path_with_namespace}`}
                  />
                  <span>
                    Repository {bytes(project.kinds.repository)}
                    {project.repository_size_limit === null ? '' : ` of ${bytes(project.repository_size_limit)}`}
                  </span>
                  {project.kinds.job_artifacts > 0 ? (
                    <span>Artifacts and logs {bytes(project.kinds.job_artifacts)}</span>
                  ) : null}
                </>
              }
              after={bytes(project.storage_size)}
            />
          ))}
        </DataList>
      )}
    </>
  );
}

export default function UsagePage() {
  const { users, ci, queue, rate_limits: limits } = useSuspenseQuery(usage()).data;
  return (
    <AdminFrame title="Usage and limits" wide>
      <div className={classes.cards}>
        <section className={classes.card} aria-label="Users">
          <h3>Users</h3>
          <p className={classes.large}>
            <Link to="/admin/users">
              {users.active} active{users.cap === null ? '' : ` of ${users.cap}`}
            </Link>
          </p>
          {users.cap === null ? (
            <p>No user cap is set.</p>
          ) : (
            <Progress value={percent(users.active, users.cap)} color="race" aria-label="Used part of the user cap" />
          )}
          <p>
            {users.pending} pending approval, {users.blocked} blocked or deactivated,{' '}
            {counted(users.bots, 'bot', 'bots')}
          </p>
        </section>
        <section className={classes.card} aria-label="CI/CD this month">
          <h3>CI/CD this month</h3>
          <p className={classes.large}>
            <Link to="/admin/runner_fleet">{counted(ci.minutes, 'minute', 'minutes')}</Link>
          </p>
          <p>
            {counted(ci.jobs, 'job', 'jobs')}, {ci.failed} failed
          </p>
          <p>
            {ci.running} running, {ci.pending} pending
            {ci.oldest_pending_at === null ? null : (
              <>
                {' '}
                (oldest <TimeAgo at={ci.oldest_pending_at} />)
              </>
            )}
          </p>
        </section>
        <section className={classes.card} aria-label="Background jobs">
          <h3>Background jobs</h3>
          <p className={classes.large}>
            <Link to="/admin/background_jobs" search={{ status: 'failed' }}>
              {queue.failed} failed
            </Link>
          </p>
          <p>
            {queue.ready} waiting, {queue.delayed} scheduled for later
          </p>
        </section>
      </div>
      <Storage />
      <h3>Rate limits in use</h3>
      {limits.length === 0 ? (
        <EmptyState title="No rate limit is in use">Requests of the last minutes are counted here.</EmptyState>
      ) : (
        <DataList label="Rate limits in use">
          {limits.map(({ name, limit, most, subjects, reached }) => (
            <DataRow
              key={name}
              title={name.replaceAll('_', ' ')}
              meta={
                <>
                  <span>{counted(subjects, 'client', 'clients')}</span>
                  <span>
                    highest {most}
                    {limit === null || limit === 0 ? '' : ` of ${limit}`}
                  </span>
                  {reached > 0 ? <span style={{ color: 'var(--mr-failed)' }}>{reached} refused</span> : null}
                </>
              }
            />
          ))}
        </DataList>
      )}
    </AdminFrame>
  );
}
