/** The state of the instance, as administrators see it. */
import type { Static } from 'typebox';
import { Count, Entity, Fields, Flag, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const Overview = Entity('InstanceOverview', {
  version: Text({ description: 'Release of the product' }),
  revision: Text({ description: 'Commit that it was built from; `unknown` when run from sources' }),
  node_version: Text(),
  external_url: Text({ description: 'Address under which users reach the instance' }),
  mail: Flag({ description: 'Whether a mail server is configured' }),
  uptime: Count({ description: 'Seconds since the process that answers was started' }),
  checks: ListOf(
    Fields({
      name: Text({ description: '`database`, `git_storage`, `object_storage` or `queue`' }),
      healthy: Flag(),
      message: Nullable(Text({ description: 'Why it cannot be used' })),
    }),
  ),
  database: Fields({ version: Text(), size: Count({ description: 'Bytes' }), connections: Count() }),
  storages: ListOf(
    Fields({
      name: Text(),
      size: Nullable(Count({ description: 'Bytes of the file system; null where it does not answer' })),
      free: Nullable(Count({ description: 'Bytes that are free there' })),
    }),
    { description: 'Repository storages' },
  ),
  background_tasks: Fields({
    ready: Count({ description: 'Due now' }),
    delayed: Count({ description: 'Due later' }),
    failed: Count({ description: 'Failed at their last attempt' }),
  }),
  repository_checks: Fields(
    {
      enabled: Flag(),
      checked: Count({ description: 'Repositories that were checked' }),
      failed: Count({ description: 'Those of them that have problems' }),
      damaged: ListOf(
        Fields({
          project_id: Nullable(Id(), { description: 'Null for wikis of groups and for snippets' }),
          path: Text({ description: 'Path of the page of the project, the wiki or the snippet' }),
          problem: Text({ description: 'The first line of what git fsck says' }),
          checked_at: Timestamp(),
        }),
        { description: 'At most 20 of those' },
      ),
    },
    { description: 'What `repository_checks_enabled` found' },
  ),
  runners: Fields({
    total: Count(),
    online: Count(),
    built_in: Flag({
      description: 'Whether there is the built-in runner, which starts with the first job that it may take',
    }),
  }),
  counts: Fields({ users: Count(), groups: Count(), projects: Count() }),
});
export type OverviewJson = Static<typeof Overview>;

const counted = () => Text({ description: 'A number with commas between its thousands' });

export const ApplicationStatistics = Entity('ApplicationStatistics', {
  forks: counted(),
  issues: counted(),
  merge_requests: counted(),
  notes: counted(),
  snippets: counted(),
  ssh_keys: counted(),
  milestones: counted(),
  users: counted(),
  projects: counted(),
  groups: counted(),
  active_users: counted(),
});

export type StatisticName = keyof Static<typeof ApplicationStatistics>;

export const statisticsJson = (
  counts: Readonly<Record<StatisticName, number>>,
): Static<typeof ApplicationStatistics> => {
  const shown = (name: StatisticName) => counts[name].toLocaleString('en-US');
  return {
    forks: shown('forks'),
    issues: shown('issues'),
    merge_requests: shown('merge_requests'),
    notes: shown('notes'),
    snippets: shown('snippets'),
    ssh_keys: shown('ssh_keys'),
    milestones: shown('milestones'),
    users: shown('users'),
    projects: shown('projects'),
    groups: shown('groups'),
    active_users: shown('active_users'),
  };
};
