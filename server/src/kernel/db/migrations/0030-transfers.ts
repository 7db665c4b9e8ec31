/** Exports of projects, and projects that come from archives. */
import type { Migration } from './index.ts';

const tables = `
alter table projects drop constraint projects_import_status_check;
alter table projects
  add column import_type text,
  add constraint projects_import_status_check
    check (import_status in ('none', 'scheduled', 'started', 'finished', 'failed', 'canceled'));

-- The last export of a project. While a new one is made, the archive of the one before is still there.
create table project_exports (
  project_id bigint primary key references projects (id) on delete cascade,
  user_id bigint references users (id) on delete set null,
  description text,
  state text not null check (state in ('queued', 'started', 'finished', 'failed')),
  error text,
  object_key text,
  size bigint,
  upload_url_sealed bytea,
  upload_method text not null default 'PUT' check (upload_method in ('PUT', 'POST')),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check ((object_key is null) = (size is null))
);
create index project_exports_user on project_exports (user_id) where user_id is not null;
create index project_exports_created on project_exports (created_at);

create table project_imports (
  project_id bigint primary key references projects (id) on delete cascade,
  user_id bigint references users (id) on delete set null,
  -- Whether an administrator vouches for the names in the archive.
  trusted boolean not null,
  object_key text,
  correlation_id text not null,
  stats jsonb not null default '{}',
  failures jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index project_imports_user on project_imports (user_id) where user_id is not null;

-- Archives that no row names any more are given up.
create function archive_left() returns trigger language plpgsql as $$
begin
  insert into object_deletions (object_key) values (old.object_key) on conflict do nothing;
  return null;
end $$;
create trigger project_exports_left after update of object_key on project_exports for each row
  when (old.object_key is not null and old.object_key is distinct from new.object_key) execute function archive_left();
create trigger project_exports_gone after delete on project_exports for each row
  when (old.object_key is not null) execute function archive_left();
create trigger project_imports_left after update of object_key on project_imports for each row
  when (old.object_key is not null and old.object_key is distinct from new.object_key) execute function archive_left();
create trigger project_imports_gone after delete on project_imports for each row
  when (old.object_key is not null) execute function archive_left();
`;

export const transfersMigration: Migration = { name: '0030-transfers', statements: [tables] };
