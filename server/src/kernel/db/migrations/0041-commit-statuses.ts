/** What other systems say of commits: their results count in pipelines as those of jobs do. */
import type { Migration } from './index.ts';

const statuses = `
-- Ids come from the counter of jobs: both are told in one list.
create table commit_statuses (
  id bigint primary key default nextval(pg_get_serial_sequence('jobs', 'id')),
  project_id bigint not null references projects (id) on delete cascade,
  pipeline_id bigint not null references pipelines (id) on delete cascade,
  name text not null check (name <> ''),
  status text not null check (status in ('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
  target_url text,
  description text,
  coverage numeric(5, 2),
  user_id bigint references users (id) on delete set null,
  -- A later one of the same name counts instead.
  retried boolean not null default false,
  created_at timestamptz(3) not null default now(),
  started_at timestamptz(3),
  finished_at timestamptz(3)
);
create unique index commit_statuses_latest on commit_statuses (pipeline_id, name) where not retried;
create index commit_statuses_pipeline on commit_statuses (pipeline_id, id);
create index commit_statuses_project on commit_statuses (project_id);
create index commit_statuses_user on commit_statuses (user_id);
`;

export const commitStatusesMigration: Migration = { name: '0041-commit-statuses', statements: [statuses] };
