/** What the last check of each repository found. */
import type { Migration } from './index.ts';

const checks = `
create table repository_checks (
  project_id bigint primary key references projects (id) on delete cascade,
  checked_at timestamptz(3) not null,
  -- None where the repository is whole.
  problems text[] not null default '{}',
  -- When administrators were told of the problems.
  told_at timestamptz(3)
);
create index repository_checks_oldest on repository_checks (checked_at, project_id);
create index repository_checks_failed on repository_checks (project_id) where cardinality(problems) > 0;
`;

export const repositoryChecksMigration: Migration = { name: '1381-repository-checks', statements: [checks] };
