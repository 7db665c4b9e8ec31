/** Pushes: whether those to a project are looked through for secrets. */
import type { Migration } from './index.ts';

export const pushesMigration: Migration = {
  name: '0037-pushes',
  statements: [
    `create table project_security_settings (
  project_id bigint primary key references projects (id) on delete cascade,
  secret_push_protection_enabled boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);`,
  ],
};
