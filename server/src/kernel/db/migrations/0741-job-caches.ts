/** Caches of jobs in the object store, and the number that makes all caches of a project be forgotten. */
import type { Migration } from './index.ts';

export const jobCachesMigration: Migration = {
  name: '0741-job-caches',
  statements: [
    `alter table projects add column jobs_cache_index integer not null default 0`,
    `create table job_caches (
      id bigint generated always as identity primary key,
      project_id bigint not null references projects on delete cascade,
      key text not null,
      -- Saved by a job of a protected branch or tag.
      protected boolean not null,
      object_key text not null,
      size bigint not null,
      hits bigint not null default 0,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      last_used_at timestamptz(3) not null default now(),
      unique (project_id, key)
    )`,
    `create index job_caches_project_used_index on job_caches (project_id, last_used_at)`,
    `create index job_caches_used_index on job_caches (last_used_at)`,
    // Of all keys of a project: a key that was never found has no row of its own.
    `create table job_cache_requests (
      project_id bigint primary key references projects on delete cascade,
      hits bigint not null default 0,
      misses bigint not null default 0
    )`,
    `create function job_cache_left() returns trigger language plpgsql as $$
    begin
      insert into object_deletions (object_key) values (old.object_key) on conflict do nothing;
      return null;
    end $$`,
    `create trigger job_caches_gone after delete on job_caches for each row execute function job_cache_left()`,
    `create trigger job_caches_changed after update of object_key on job_caches for each row
      when (old.object_key is distinct from new.object_key) execute function job_cache_left()`,
  ],
};
