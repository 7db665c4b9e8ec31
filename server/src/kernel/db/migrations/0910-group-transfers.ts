/** Exports of groups, groups that come from archives, and exports of single relations of groups. */
import type { Migration } from './index.ts';

const files = `
-- The last export of a group. While a new one is made, the archive of the one before is still there.
create table group_exports (
  namespace_id bigint primary key references namespaces (id) on delete cascade,
  user_id bigint references users (id) on delete set null,
  state text not null check (state in ('queued', 'started', 'finished', 'failed')),
  error text,
  object_key text,
  size bigint,
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  check ((object_key is null) = (size is null))
);
create index group_exports_user on group_exports (user_id) where user_id is not null;
create index group_exports_created on group_exports (created_at);

-- Of the group at the top of an archive.
create table group_imports (
  namespace_id bigint primary key references namespaces (id) on delete cascade,
  user_id bigint references users (id) on delete set null,
  -- Whether an administrator vouches for the names in the archive.
  trusted boolean not null,
  state text not null default 'scheduled' check (state in ('scheduled', 'started', 'finished', 'failed')),
  error text,
  object_key text,
  stats jsonb not null default '{}',
  failures jsonb not null default '[]',
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3)
);
create index group_imports_user on group_imports (user_id) where user_id is not null;

create trigger group_exports_left after update of object_key on group_exports for each row
  when (old.object_key is not null and old.object_key is distinct from new.object_key) execute function archive_left();
create trigger group_exports_gone after delete on group_exports for each row
  when (old.object_key is not null) execute function archive_left();
create trigger group_imports_left after update of object_key on group_imports for each row
  when (old.object_key is not null and old.object_key is distinct from new.object_key) execute function archive_left();
create trigger group_imports_gone after delete on group_imports for each row
  when (old.object_key is not null) execute function archive_left();
`;

const relations = `
alter table relation_exports alter column project_id drop not null,
  add column namespace_id bigint references namespaces (id) on delete cascade,
  add check (num_nonnulls(project_id, namespace_id) = 1),
  add unique (namespace_id, relation);
`;

// Links in texts go on working in a group that comes from an archive, beside the one that was exported.
const secrets = `
alter table group_uploads drop constraint group_uploads_secret_key;
create unique index group_uploads_secret_key on group_uploads (namespace_id, secret);
`;

export const groupTransfersMigration: Migration = {
  name: '0910-group-transfers',
  statements: [files, relations, secrets],
};
