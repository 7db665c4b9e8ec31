/** Last commits of the entries of directories: kept, because finding them again costs a walk through the history. */
import type { Migration } from './index.ts';

const kept = `
create table kept_last_commits (
  project_id bigint not null references projects (id) on delete cascade,
  -- Paths are longer than what an index takes.
  path_digest bytea not null check (octet_length(path_digest) = 32),
  path text not null,
  -- What the answer is for; none until the first walk has ended.
  commit text,
  -- Commit by name of the entry.
  entries jsonb not null default '{}',
  primary key (project_id, path_digest)
);
`;

export const keptLastCommitsMigration: Migration = { name: '0052-kept-last-commits', statements: [kept] };
