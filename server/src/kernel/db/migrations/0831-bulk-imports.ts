/** Transfers of groups and projects from another instance, and each group and project of them. */
import type { Migration } from './index.ts';

export const bulkImportsMigration: Migration = {
  name: '0831-bulk-imports',
  statements: [
    `create table bulk_imports (
      id bigint generated always as identity primary key,
      user_id bigint references users (id) on delete cascade,
      admin boolean not null,
      url text not null,
      -- Kept until nothing is left to be fetched with it.
      token_sealed bytea,
      status text not null default 'created' check (status in ('created', 'started', 'canceled', 'failed')),
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    )`,
    `create index bulk_imports_user on bulk_imports (user_id, id)`,
    `create table bulk_import_entities (
      id bigint generated always as identity primary key,
      bulk_import_id bigint not null references bulk_imports (id) on delete cascade,
      parent_id bigint references bulk_import_entities (id) on delete cascade,
      source_type text not null check (source_type in ('group', 'project')),
      source_full_path text not null,
      destination_name text,
      destination_slug text not null,
      destination_namespace text not null,
      migrate_projects boolean not null,
      migrate_memberships boolean not null,
      namespace_id bigint references namespaces (id) on delete set null,
      project_id bigint references projects (id) on delete set null,
      status text not null default 'created' check (status in ('created', 'started', 'finished', 'failed', 'canceled')),
      done_stages text[] not null default '{}',
      stats jsonb not null default '{}',
      failures jsonb not null default '[]',
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      unique (bulk_import_id, source_type, source_full_path)
    )`,
    `create index bulk_import_entities_parent on bulk_import_entities (parent_id) where parent_id is not null`,
    `create index bulk_import_entities_namespace on bulk_import_entities (namespace_id) where namespace_id is not null`,
    `create index bulk_import_entities_project on bulk_import_entities (project_id) where project_id is not null`,
  ],
};
