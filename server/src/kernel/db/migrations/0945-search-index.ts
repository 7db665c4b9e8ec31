/** The code index also holds the wikis of groups, and the commit messages of default branches. */
import type { Migration } from './index.ts';

const groupWikis = `
alter table code_indexes
  alter column project_id drop not null,
  add column namespace_id bigint references namespaces (id) on delete cascade,
  -- The commit whose history is in code_commits; null before the first time, and for wikis.
  add column history text,
  add check (num_nonnulls(project_id, namespace_id) = 1),
  add check (namespace_id is null or kind = 'wiki');
create unique index code_indexes_namespace on code_indexes (namespace_id, kind) where namespace_id is not null;
`;

const commits = `
create table code_commits (
  index_id bigint not null references code_indexes (id) on delete cascade,
  sha text collate "C" not null,
  committed_at timestamptz not null,
  message text not null,
  primary key (index_id, sha)
);
create index code_commits_message on code_commits using gin (message gin_trgm_ops);
create index code_commits_sha on code_commits (sha);
`;

export const searchIndexMigration: Migration = {
  name: '0945-search-index',
  statements: [groupWikis, commits],
};
