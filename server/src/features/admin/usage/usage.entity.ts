/** What the instance uses of its storage and limits, as administrators see it. */
import { Count, Entity, Fields, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';

export const storageKinds = [
  'repository',
  'wiki',
  'lfs_objects',
  'job_artifacts',
  'pipeline_artifacts',
  'snippets',
  'uploads',
  'code_index',
] as const;

const kinds = Fields({
  repository: Count(),
  wiki: Count(),
  lfs_objects: Count(),
  job_artifacts: Count({ description: 'With logs' }),
  pipeline_artifacts: Count(),
  snippets: Count(),
  uploads: Count(),
});

export const Usage = Entity('InstanceUsage', {
  storage: Fields({
    kinds: ListOf(Fields({ kind: Word(storageKinds), bytes: Count() }), {
      description: 'Of all projects; `code_index` is the text that is searched',
    }),
    projects: ListOf(
      Fields({
        id: Id(),
        path_with_namespace: Text(),
        storage_size: Count({ description: 'Bytes of all kinds' }),
        repository_size_limit: Nullable(Count({ description: 'Bytes that its repository may take; null for any' })),
        kinds,
      }),
      { description: 'The ten that take most' },
    ),
  }),
  users: Fields({
    active: Count({ description: 'Accounts of users that can sign in' }),
    blocked: Count({ description: 'Blocked, banned or deactivated' }),
    pending: Count({ description: 'Waiting for approval' }),
    bots: Count(),
    cap: Nullable(Count({ description: 'Active accounts after which registrations wait for approval' })),
  }),
  rate_limits: ListOf(
    Fields({
      name: Text(),
      limit: Nullable(Count({ description: 'Requests per window; null for general limits, 0 for none' })),
      subjects: Count({ description: 'Users, addresses and the like that are counted now' }),
      reached: Count({ description: 'Those that have reached it' }),
      most: Count({ description: 'The most that one of them took' }),
    }),
    { description: 'Those that are counted now' },
  ),
  ci: Fields({
    jobs: Count({ description: 'Jobs that began this month (UTC)' }),
    failed: Count(),
    minutes: Count({ description: 'Minutes that they ran, rounded' }),
    running: Count(),
    pending: Count({ description: 'Jobs that wait for a runner' }),
    oldest_pending_at: Nullable(Timestamp({ description: 'Since when the first of them waits' })),
  }),
  queue: Fields({
    ready: Count({ description: 'Background jobs that are due' }),
    delayed: Count({ description: 'Due later' }),
    failed: Count({ description: 'Failed at their last attempt' }),
  }),
});
