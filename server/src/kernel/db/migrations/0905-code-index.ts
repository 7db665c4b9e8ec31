/** The index of the code of default branches and of wikis: texts once in a network of forks, paths for each repository. */
import type { Migration } from './index.ts';

const codeIndex = `
create table code_indexes (
  id bigint generated always as identity primary key,
  project_id bigint not null references projects (id) on delete cascade,
  kind text not null check (kind in ('code', 'wiki')),
  -- Repositories of one network share contents: the project from which all its forks come.
  network bigint not null,
  -- What the paths are of; null before the first time.
  commit text,
  branch text,
  generation bigint not null default 0,
  files integer not null default 0,
  bytes bigint not null default 0,
  skipped integer not null default 0,
  state text not null default 'pending' check (state in ('pending', 'running', 'ready', 'failed')),
  -- Files that the run under way has seen, of as many as it will.
  done integer not null default 0,
  total integer not null default 0,
  error text,
  started_at timestamptz,
  indexed_at timestamptz,
  unique (project_id, kind)
);
create index code_indexes_network on code_indexes (network);
create index code_indexes_unready on code_indexes (state, id) where state <> 'ready';

-- What files hold, by the id that git gives it.
create table code_blobs (
  id bigint generated always as identity primary key,
  network bigint not null,
  oid text collate "C" not null,
  -- Of its text; 0 for what is found by its path alone: binary, too large, or empty.
  bytes integer not null,
  unique (network, oid)
);

-- Whole lines of a text, some kilobytes together: what one has to look through where the trigrams match.
create table code_chunks (
  blob_id bigint not null references code_blobs (id) on delete cascade,
  first_line integer not null,
  network bigint not null,
  content text collate "C" not null,
  primary key (blob_id, first_line)
);
create index code_chunks_content on code_chunks using gin (content gin_trgm_ops, (array[network]));

create table code_files (
  index_id bigint not null references code_indexes (id) on delete cascade,
  path text collate "C" not null,
  blob_id bigint not null references code_blobs (id),
  language text,
  primary key (index_id, path)
);
create index code_files_blob on code_files (blob_id);
create index code_files_path on code_files using gin (path gin_trgm_ops);
`;

export const codeIndexMigration: Migration = {
  name: '0905-code-index',
  statements: [codeIndex],
};
